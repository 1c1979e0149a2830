import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { piecesOf } from './pieces.ts'
import type { Receipt } from './receipt.ts'
import { scanFolder } from './scan-folder.ts'

const CONTENT = 'The heron of the lake "Mývatn" stands in the reeds.\nNobody outside may know of it.'
const MEDIA = '0190d3c2-6f0e-5b1a-9c1d-2f6f5f0a7b11'
const INGEST = '0190d3c2-7a1b-7c2d-8e3f-4a5b6c7d8e9f'
const FILE = createHash('sha256').update(CONTENT).digest('hex')
const ARTIFACT = 'ab'.repeat(32)
const receipt = {
  items: [
    { media_id: `doc_${MEDIA}`, ingest_id: INGEST, sha256: FILE, artifacts: { 'vectors.bin': ARTIFACT } },
  ],
} as unknown as Receipt

let folder = ''
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'medialog-scan-'))))
afterEach(() => rmSync(folder, { recursive: true }))

function put(path: string, bytes: string | Buffer): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), bytes)
}

const scan = () =>
  scanFolder(folder, receipt, piecesOf(Buffer.from(CONTENT)), () => undefined, new AbortController().signal)

const places = async (): Promise<string[]> => (await scan()).traces.map(({ place }) => place)

test('names are lawful where only names are kept, and digests where claims and receipts are', async () => {
  put('log/events.sqlite', `x${INGEST}y${FILE}`)
  put('audit/leaves.sqlite', `media-${MEDIA}`)
  put('read-models/usage-1.sqlite', MEDIA)
  put('webhooks/deliveries.sqlite', MEDIA)
  put('secrets/operator-token', 'unrelated')
  const { traces, lawful, files, bytes } = await scan()
  expect(traces).toEqual([])
  expect(lawful.map(({ place, names }) => [place, names]).toSorted(([a], [b]) => (a! < b! ? -1 : 1))).toEqual(
    [
      ['audit/leaves.sqlite', 1],
      ['log/events.sqlite', 1],
      ['log/events.sqlite', 1],
      ['read-models/usage-1.sqlite', 1],
      ['webhooks/deliveries.sqlite', 1],
    ],
  )
  expect([files, bytes]).toEqual([5, `x${INGEST}y${FILE}`.length + 42 + 2 * 36 + 9])
  put('read-models/usage-1.sqlite', ARTIFACT)
  put('answers/2026/one', INGEST)
  expect((await places()).toSorted()).toEqual(['answers/2026/one', 'read-models/usage-1.sqlite'])
})

test.each([
  ['a digest', `image${ARTIFACT}`],
  ['an id', `1${INGEST}`],
])('%s is found right behind what looks like its beginning', async (_, row) => {
  put('answers/2026/one', row)
  expect(await places()).toEqual(['answers/2026/one'])
})

test.each([
  ['as it is', Buffer.from(CONTENT.slice(20, 80))],
  ['in JSON', Buffer.from(JSON.stringify({ text: CONTENT }))],
  ['in UTF-16', Buffer.from(CONTENT, 'utf16le')],
  ['across two blocks that are read', Buffer.from(`${'x'.repeat(1024 * 1024 - 20)}${CONTENT}`)],
])('the content is found %s', async (_, bytes) => {
  put('log/events.sqlite-wal', bytes)
  expect(await places()).toEqual(['log/events.sqlite-wal'])
})

test('what an ingest left is found by its folder, and the file that was uploaded by its digest', async () => {
  put(`artifacts/a/${MEDIA}/${INGEST}/vectors.bin`, 'anything')
  put('staging/one', CONTENT)
  const { traces } = await scan()
  expect(traces.map(({ store }) => store).toSorted()).toEqual(['artifacts', 'staging', 'staging'])
})

test('a short content is looked for as a whole, a long one in pieces', () => {
  expect(piecesOf(Buffer.from('tiny')).map(String)).toEqual(['tiny'])
  expect(piecesOf(Buffer.from('')).map(String)).toEqual([])
  const pieces = piecesOf(Buffer.from('0123456789abcdef'.repeat(10_000)))
  expect(pieces.length).toBeLessThanOrEqual(256)
  expect(pieces.every(({ length }) => length >= 12 && length <= 32)).toBe(true)
})
