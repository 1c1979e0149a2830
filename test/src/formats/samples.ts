import { globSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { FORMATS } from '@medialog/understanding/formats'
import { expect } from 'vitest'
import { fixture } from '../contract/served.ts'
import type { Answer, Client } from '../harness/client.ts'
import { expectStatus } from '../harness/expect-status.ts'
import { lacking } from './facts.ts'
import { ROWS } from './rows.ts'

const FIXTURES = fileURLToPath(new URL('../../fixtures', import.meta.url))

export interface Sample {
  /** Of the format. */
  name: string
  path: string
  facts: string
}

const samples: Sample[][] = FORMATS.map(({ name }) =>
  Object.entries(ROWS[name]!.samples).map(([path, facts]) => ({ name, path, facts })),
)
/** One of each format, in the order of formats. */
export const firsts = samples.map(([first]) => first!)
/** One of each folder of samples: documents, images, sounds, … */
export const ofEachKind = [...new Map(firsts.map((sample) => [dirname(sample.path), sample])).values()]
/** What other samples show. */
export const further = samples.flatMap(([, ...others]) => others)
/** Other files that can be read; `hostile` ones are refused, `sample.mtl` belongs to another file. */
export const others = globSync('*/*', { cwd: FIXTURES })
  .filter((path) => !path.startsWith('hostile') && !path.endsWith('.mtl'))
  .filter((path) => !samples.flat().some((sample) => sample.path === path))
  .sort()

/** The item that came of a file. */
export async function uploaded(client: Client, path: string): Promise<Answer['body']> {
  const answer = await client.upload(basename(path), await fixture(path))
  expectStatus(answer, 200)
  const item = await itemOf(client, answer.body.data.media_id)
  expect(item.metadata.search.summary).not.toBe('')
  return item
}

export function expectFacts(item: Answer['body'], { name, facts }: Sample): void {
  expect(item.metadata.modality.formatting.original_format).toBe(name)
  expect(lacking(item, facts), JSON.stringify(item).slice(0, 3_000)).toEqual([])
}

export async function itemOf(client: Client, id: string): Promise<Answer['body']> {
  return (await client.request('GET', `/v1/media/${id}?include_vectors=true&include_chunks=true`)).body.data
}
