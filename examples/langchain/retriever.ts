// npm install @langchain/core @medialog/client
import type { CallbackManagerForRetrieverRun } from '@langchain/core/callbacks/manager'
import { Document } from '@langchain/core/documents'
import { BaseRetriever, type BaseRetrieverInput } from '@langchain/core/retrievers'
import type { Client, SearchInput } from '@medialog/client'

export interface MedialogRetrieverInput extends BaseRetrieverInput {
  client: Client
  /** Where to look, how much to give back, and what scores too little: as `client.search` takes it. */
  search?: Omit<SearchInput, 'query'>
}

/** The passages of stored files that match a query, best first. */
export class MedialogRetriever extends BaseRetriever {
  override lc_namespace = ['medialog', 'retrievers']
  private readonly client: Client
  private readonly search: Omit<SearchInput, 'query'>

  static override lc_name(): string {
    return 'MedialogRetriever'
  }

  constructor({ client, search = {}, ...input }: MedialogRetrieverInput) {
    super(input)
    this.client = client
    this.search = { collections: 'all', min_score: 0.1, ...search }
  }

  override async _getRelevantDocuments(
    query: string,
    _run?: CallbackManagerForRetrieverRun,
  ): Promise<Document[]> {
    const { results } = await this.client.search({ ...this.search, query })
    return results.map(
      ({ media_id, media_type, collection, score, passage, metadata }) =>
        new Document({
          id: `${media_id}#${passage.chunk}`,
          pageContent: passage.text,
          metadata: { media_id, media_type, collection, score, filename: metadata.file_info.filename },
        }),
    )
  }
}
