// npm install @llamaindex/core @medialog/client
import type { QueryBundle } from '@llamaindex/core/query-engine'
import { BaseRetriever } from '@llamaindex/core/retriever'
import { TextNode, type NodeWithScore } from '@llamaindex/core/schema'
import { extractText } from '@llamaindex/core/utils'
import type { Client, SearchInput } from '@medialog/client'

/** The passages of stored files that match a query, best first. */
export class MedialogRetriever extends BaseRetriever {
  private readonly client: Client
  private readonly search: Omit<SearchInput, 'query'>

  /** @param search where to look, how much to give back, and what scores too little: as `client.search` takes it */
  constructor(client: Client, search: Omit<SearchInput, 'query'> = {}) {
    super()
    this.client = client
    this.search = { collections: 'all', min_score: 0.1, ...search }
  }

  override async _retrieve({ query }: QueryBundle): Promise<NodeWithScore[]> {
    const { results } = await this.client.search({ ...this.search, query: extractText(query) })
    return results.map(({ media_id, media_type, collection, score, passage, metadata }) => ({
      score,
      node: new TextNode({
        id_: `${media_id}#${passage.chunk}`,
        text: passage.text,
        metadata: { media_id, media_type, collection, filename: metadata.file_info.filename },
      }),
    }))
  }
}
