import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { firstPrev, headerJson, link, newSalt, type ChainedEvent } from './chain.ts'
import { verifyChain } from './testing/verify-chain.ts'

/** A chain made by the documented formula alone, without the code under test. */
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
function chained(stream: `${string}-${string}`, count: number): ChainedEvent[] {
  let prev = sha256(stream)
  return Array.from({ length: count }, (_, revision) => {
    const salt = '0123456789abcdef0123456789abcdef'
    const digest = sha256(`${salt}{"a":1,"b":${revision}}`)
    const header =
      `{"id":"id-${revision}","metadata":{"actor":"me","timestamp":"2026-11-20T13:00:00.000Z"},` +
      `"revision":${revision},"stream":"${stream}","type":"Told","version":2}`
    const event = {
      id: `id-${revision}`,
      type: 'Told',
      version: 2,
      data: { b: revision, a: 1 },
      metadata: { timestamp: '2026-11-20T13:00:00.000Z', actor: 'me' },
      stream,
      revision,
      position: 10 * revision + 1,
      salt,
      digest,
      prev,
      hash: sha256(prev + header + digest),
    }
    prev = event.hash
    return event
  })
}

test('the chain is the documented one, made or verified', async () => {
  const events = chained('media-x', 3)
  expect(await verifyChain(events)).toEqual({ verified: 3, broken: null })
  const [first] = events as [ChainedEvent]
  const metadata = '{"actor":"me","timestamp":"2026-11-20T13:00:00.000Z"}'
  expect(
    link(firstPrev('media-x'), headerJson({ ...first, metadata }), first.salt!, '{"a":1,"b":0}'),
  ).toEqual({
    digest: first.digest,
    hash: first.hash,
  })
})

test('streams are kept apart; a stream may begin after its truncated past, but not with a false beginning', async () => {
  const [one, other] = [chained('media-x', 3), chained('media-y', 3)]
  const mixed = [one[0]!, other[1]!, one[1]!, other[2]!]
  expect(await verifyChain(mixed)).toEqual({ verified: 4, broken: null })
  const renamed = { ...one[0]!, prev: other[0]!.prev }
  expect((await verifyChain([renamed])).broken).toMatchObject({ position: 1, stream: 'media-x', revision: 0 })
})

test('a rewritten event with correct links is not the one that the next event follows', async () => {
  const [first, second, third] = chained('media-x', 3) as [ChainedEvent, ChainedEvent, ChainedEvent]
  const header = headerJson({ ...second, metadata: '{"actor":"me","timestamp":"2026-11-20T13:00:00.000Z"}' })
  const forged = { ...second, data: { b: 9 }, ...link(first.hash, header, second.salt!, '{"b":9}') }
  expect((await verifyChain([first, forged])).broken).toBeNull()
  expect((await verifyChain([first, forged, third])).broken).toMatchObject({
    revision: 2,
    reason: 'prev is not the hash of the event before',
  })
})

test('salts are 16 random bytes, never the same twice', () => {
  const salts = new Set(Array.from({ length: 2_000 }, newSalt))
  expect(salts.size).toBe(2_000)
  for (const salt of salts) expect(salt).toMatch(/^[0-9a-f]{32}$/)
})
