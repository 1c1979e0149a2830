import { readFileSync } from 'node:fs'
import { isMainThread, parentPort, workerData } from 'node:worker_threads'
import { plainPdf } from '@medialog/understanding/testing/pdf'
import { asAccount, type Client } from '../src/harness/client.ts'

/** What one account does to be in the way of another: one request, made again and again by several callers. */
export const ATTACKS = {
  'files that are slow to read': (client, number) =>
    client.upload(`slow-${number}.pdf`, Buffer.concat([slowPdf(), Buffer.from(`\n% ${number}`)])),
  'files that are made to hold a parser': (client, number) =>
    number % 2 === 0
      ? client.upload(`quotes-${number}.json`, `{"${number}": "${String.raw`\\"`.repeat(500_000)}`)
      : client.upload(
          `spaces-${number}.eml`,
          `Subject: ${number}\nContent-Type: text/plain\nContent-Transfer-Encoding: quoted-printable\n\n${' '.repeat(1_000_000)}${number}`,
        ),
  'long texts': (client, number) =>
    client.upload(`long-${number}.txt`, `${number} ${prose().slice(0, 300_000)}`),
  'texts that are slow to analyse': (client, number) =>
    client.upload(`words-${number}.txt`, `It is ${number}. ${"a's ".repeat(4_000)}`),
  'JSON of names and brackets': (client) => client.request('POST', '/v1/ai/query', { json: manyNames() }),
  'long questions': (client, number) =>
    client.request('POST', '/v1/ai/query', {
      json: { query: `What is ${number}?`, context: prose().slice(0, 200_000) },
    }),
  searches: (client, number) =>
    client.request('POST', '/v1/search', { json: { query: `harbour ${number}`, collections: 'all' } }),
  'events from the beginning': (client) => client.request('GET', '/v1/events?after=beginning'),
} satisfies Record<string, (client: Client, number: number) => Promise<unknown>>

/** Files that take seconds each, as a batch has them. */
export const LARGE_FILES: Record<
  string,
  (number: number) => { filename: string; bytes: Uint8Array | string }
> = {
  'slow PDFs': (number) => ({
    filename: `slow-${number}.pdf`,
    bytes: Buffer.concat([slowPdf(), Buffer.from(`\n% batch ${number}`)]),
  }),
  'long texts': (number) => ({
    filename: `long-${number}.txt`,
    bytes: `Of the batch, ${number}: ${prose().slice(0, 300_000)}`,
  }),
}

export type AttackName = keyof typeof ATTACKS

export interface AttackOrder {
  url: string
  apiKey: string
  attacks: readonly AttackName[]
}

/** Callers of each attack. */
const CALLERS = 4

const once = <T>(make: () => T): (() => T) => {
  let made: { value: T } | undefined
  return () => (made ??= { value: make() }).value
}
/** Text of the Cranfield collection, of some million characters. */
export const prose = once(() =>
  readFileSync(new URL('../benchmarks/cranfield/cran.all.1400.xml', import.meta.url), 'utf8').replaceAll(
    /<[^>]+>/g,
    ' ',
  ),
)
/** Of 400 pages. */
const slowPdf = once(() => {
  const words = prose().replaceAll(/[^a-z. ]/g, '')
  const line = (at: number): [number, string] => [800 - 16 * (at % 46), words.slice(80 * at, 80 * (at + 1))]
  return plainPdf(
    Array.from({ length: 400 }, (_, page) => Array.from({ length: 46 }, (_, at) => line(46 * page + at))),
  )
})
/** Some 4 MB of them. */
const manyNames = once(() =>
  Object.fromEntries(Array.from({ length: 240_000 }, (_, number) => [`name ${number}`, 1])),
)

if (!isMainThread) {
  const { url, apiKey, attacks } = workerData as AttackOrder
  let number = 0
  for (const name of attacks)
    for (let caller = 0; caller < CALLERS; caller++)
      void (async () => {
        const client = asAccount(url, apiKey)
        // Refused or not: that one goes on is what makes it one.
        for (;;) await ATTACKS[name](client, ++number).catch(() => undefined)
      })()
  parentPort!.postMessage('begun', [])
}
