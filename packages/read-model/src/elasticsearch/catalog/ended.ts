import type { Client } from '@elastic/elasticsearch'
import { collected, everything } from '../pages.ts'
import type { EndedDocument } from './documents.ts'

/** The ended places of every account: few, since those that are empty are forgotten when the next one ends. */
export async function allEnded(client: Client, index: string): Promise<string[]> {
  const query = { term: { kind: 'ended' } }
  const found = await collected(
    everything<EndedDocument>(client, { index, query, sort: [{ account: 'asc' }] }),
  )
  return found.flatMap(({ places }) => places)
}
