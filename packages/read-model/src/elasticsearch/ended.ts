import type { Client } from '@elastic/elasticsearch'
import type { EndedDocument } from './documents.ts'

const PAGE = 1_000

/** The ended places of every account: few, since those that are empty are forgotten when the next one ends. */
export async function allEnded(client: Client, index: string): Promise<string[]> {
  const ended: string[] = []
  let after: string | undefined
  for (;;) {
    const { hits } = await client.search<EndedDocument>({
      index,
      query: { term: { kind: 'ended' } },
      sort: [{ account: 'asc' }],
      size: PAGE,
      ...(after !== undefined && { search_after: [after] }),
    })
    for (const { _source } of hits.hits) ended.push(..._source!.places)
    after = hits.hits.at(-1)?._source!.account
    if (hits.hits.length < PAGE) return ended
  }
}
