import { FORMATS } from '@medialog/understanding/formats'
import type { Answer, Client } from '../harness/client.ts'
import { ROWS } from './rows.ts'

/** Of each format, its files and the facts that they show. */
export const samples = FORMATS.flatMap(({ name }) =>
  Object.entries(ROWS[name]!.samples).map(([path, facts]) => ({ name, path, facts })),
)
export const firstSampleOf = (format: string): string => Object.keys(ROWS[format]!.samples)[0]!

export async function itemOf(client: Client, id: string): Promise<Answer['body']> {
  return (await client.request('GET', `/v1/media/${id}?include_vectors=true&include_chunks=true`)).body.data
}
