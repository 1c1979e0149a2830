import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createHash } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkpointText, originOf } from '@medialog/application/log-tree/checkpoint'
import { leafHash, leafText } from '@medialog/application/log-tree/leaf'
import {
  GrowingTree,
  consistencyProof,
  inclusionProof,
  rootOver,
} from '@medialog/application/log-tree/merkle'
import { currentVersion, decodeEvent, eventSchemas, streamsOf, upcasters } from '@medialog/contract'
import { RECEIPT_HEADER } from '@medialog/contract/receipt'
import { noteSigner, signNote, verifierKey } from '@medialog/contract/signed-note'
import { canonicalJson } from '@medialog/kernel'
import { firstPrev, headerJson, link } from '@medialog/event-store/chain'
import type { JsonObject, StreamName } from '@medialog/kernel'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { verified, verifiedInPython } from '../harness/third-party.ts'

const FOLDER = new URL('../../../docs/reference/', import.meta.url)
const PAGE = new URL('log-format.md', FOLDER)
const SCHEMAS = new URL('log-events.schema.json', FOLDER)
const VECTORS = new URL('log-vectors.json', FOLDER)
/** What is stored, in every version that was released. */
const STORED = new URL('../../../packages/contract/samples/', import.meta.url)

const written = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`
/** What stands there, which `npm run events` writes anew. */
async function standing(url: URL, value: unknown): Promise<string> {
  if (process.env['MEDIALOG_WRITE_EVENTS']) await writeFile(url, written(value))
  return readFile(url, 'utf8')
}

type Type = keyof typeof eventSchemas
const types = Object.keys(eventSchemas) as Type[]

/** What an older version lacked. */
const LACKED: Readonly<Record<string, readonly string[]>> = {
  'JobSucceeded.v1': ['tookMs'],
  'MediaDeleted.v1': ['lives'],
}

/** The schema of each version of a type's payload, as it is stored. */
const versionsOf = (type: Type) =>
  Array.from({ length: currentVersion(type) }, (_, index) => {
    const name = `${type}.v${index + 1}`
    const { $schema: _draft, ...schema } = z.toJSONSchema(eventSchemas[type], { io: 'input' })
    const lacked = index + 1 < currentVersion(type) ? LACKED[name]! : []
    const properties = Object.entries(schema.properties ?? {}).filter(([field]) => !lacked.includes(field))
    const required = (schema.required ?? []).filter((field) => !lacked.includes(field))
    const title = `${type}, version ${index + 1}, in streams ${streamsOf(type)}…`
    return [name, { title, ...schema, properties: Object.fromEntries(properties), required }] as const
  })

const schemas = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'The payload (`data`) of every event that Medialog stores, by type and version',
  $defs: Object.fromEntries(types.flatMap(versionsOf)),
}

describe('docs/reference/log-events.schema.json', () => {
  test('is made of the schemas as they are now', async () => {
    expect(await standing(SCHEMAS, schemas), '`npm run events` writes it anew').toBe(written(schemas))
    expect(Object.keys(LACKED).toSorted()).toEqual(
      Object.entries(upcasters)
        .flatMap(([type, by]) => Object.keys(by).map((from) => `${type}.v${from}`))
        .toSorted(),
    )
  })

  test('takes what every release stored, and nothing without what it requires', async () => {
    const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, validateFormats: false })
    ajv.addSchema(schemas, 'log')
    const files = await readdir(STORED)
    expect(new Set(files.map((file) => file.replace(/\.json$/, '')))).toEqual(
      new Set(Object.keys(schemas.$defs)),
    )
    for (const file of files) {
      const { type, version, data } = JSON.parse(await readFile(new URL(file, STORED), 'utf8'))
      const isStored = ajv.getSchema(`log#/$defs/${type}.v${version}`)!
      expect(isStored(data), `${file}: ${ajv.errorsText(isStored.errors)}`).toBe(true)
      for (const field of schemas.$defs[`${type}.v${version}`]!.required) {
        const { [field]: _left, ...less } = data
        expect(isStored(less), `${file} without ${field}`).toBe(false)
      }
      expect(() => decodeEvent({ type, version, data }), file).not.toThrow()
    }
  })
})

const ACCOUNT = '0190d3c2-6f0e-7b1a-9c1d-2f6f5f0a7b11'
/** Of these vectors alone. */
const PRIVATE_KEY =
  '-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n-----END PRIVATE KEY-----\n'
const AT = Date.UTC(2026, 9, 31, 23, 59, 59)

const told = (n: number, type: string, data: JsonObject, actor = 'jqnwg7ju') => ({
  id: `0190d3c2-0000-7000-8000-00000000000${n}`,
  type,
  version: 1,
  data,
  metadata: { timestamp: new Date(AT + n * 1_000).toISOString(), actor, accountId: ACCOUNT },
})
const LINES = [
  { price: 'DOCUMENT_PROCESSING', amount: '30000000' },
  { price: 'VECTOR_PROCESSING', amount: '10000000' },
]
/** A credit, a charge that is settled in the next month, whose books are closed before its first posting. */
const POSTED = [
  told(
    0,
    'BalanceCredited',
    { creditId: 'opening', amount: '5000000000', reference: 'Grüße, "a" \\ \u2028 🐦', at: AT },
    'operator',
  ),
  told(1, 'BalanceCharged', {
    chargeId: 'charge-1',
    amount: '40000000',
    lines: LINES,
    cause: { operation: 'upload' },
    at: AT + 500,
  }),
  told(2, 'BooksClosed', {
    month: '2026-11',
    balance: '4960000000',
    totals: { credited: '5000000000', charged: '40000000', refunded: '0' },
    openCharges: [{ chargeId: 'charge-1', amount: '40000000', rest: LINES, refundIds: [] }],
  }),
  told(3, 'BalanceRefunded', {
    refundId: 'refund-1',
    chargeId: 'charge-1',
    amount: '10000000',
    lines: [LINES[1]!],
    reason: 'not used',
    at: AT + 3_000,
  }),
  told(4, 'ChargeSettled', { chargeId: 'charge-1', at: AT + 4_000 }),
]

/** Events of one stream with their places in the chain, and the texts that are hashed. */
function chained(stream: StreamName, events: readonly ReturnType<typeof told>[]) {
  let prev = firstPrev(stream)
  return events.map((event, revision) => {
    const salt = createHash('sha256').update(`${stream}@${revision}`).digest('hex').slice(0, 32)
    const data = canonicalJson(event.data)
    const header = headerJson({ ...event, stream, revision, metadata: canonicalJson(event.metadata) })
    const { digest, hash } = link(prev, header, salt, data)
    const recorded = { ...event, stream, revision, salt, digest, prev, hash }
    prev = hash
    return { canonical_data: data, canonical_header: header, event: recorded }
  })
}

async function vectors() {
  const ledger: StreamName = `ledger-${ACCOUNT}`
  const events = chained(ledger, POSTED)
  const other = chained('media-c1b1cdbf-cf1f-5071-a58c-61ee9b96f89c', [
    told(9, 'MediaDeleted', { accountId: ACCOUNT, at: AT }),
  ])
  const leaves = [...events.slice(0, 3), ...other, ...events.slice(3)].map(({ event }, index) => ({
    hash: event.hash,
    position: index * 10 + 1,
    revision: event.revision,
    stream: event.stream,
  }))
  const hashes = leaves.map(leafHash)
  const rootOf = async (from: number, to: number): Promise<Buffer> => {
    const tree = new GrowingTree()
    for (const node of hashes.slice(from, to)) tree.add(node)
    return rootOver(tree.edge)
  }
  const signer = noteSigner(PRIVATE_KEY)
  const name = originOf(leaves[0]!)
  const noteOf = async (size: number) =>
    signNote(checkpointText({ origin: name, size, root: await rootOf(0, size) }), name, signer)
  const inBase64 = (nodes: readonly Buffer[]): string[] => nodes.map((node) => node.toString('base64'))
  const key = verifierKey({ name, publicKey: signer.publicKey })
  const size = leaves.length
  const ledgerProof = async (count: number, of: number, since: number | null) => {
    const index = leaves.findIndex(({ revision, stream }) => stream === ledger && revision === count - 1)
    const head = { index, leaf: leaves[index]!, hashes: inBase64(await inclusionProof(index, of, rootOf)) }
    const first = {
      format: 'medialog ledger proof 1',
      account_id: ACCOUNT,
      stream: ledger,
      events: count,
      checkpoint: await noteOf(of),
      key,
      head,
      consistency: since && { from: since, hashes: inBase64(await consistencyProof(since, of, rootOf)) },
    }
    return [{ ledger: first }, ...events.slice(0, count).map(({ event }) => ({ event }))]
  }
  const ingests = ['0190d3c2-0000-7000-8000-0000000000b2', '0190d3c2-0000-7000-8000-0000000000a1']
  const digest = createHash('sha256')
    .update(
      ingests
        .toSorted()
        .map((id) => `${id}\n`)
        .join(''),
    )
    .digest('hex')
  const receipt = {
    erasure_id: 'erasure_0190d3c2-0000-7000-8000-0000000000e1',
    ingests: 2,
    digest,
    items: ingests.map((id) => ({ ingest_id: id })),
  }
  return {
    chain: events,
    tree: {
      leaves: leaves.map((leaf) => ({ leaf, text: leafText(leaf), hash: leafHash(leaf).toString('hex') })),
      roots: await Promise.all(leaves.map(async (_, index) => (await rootOf(0, index + 1)).toString('hex'))),
      inclusion: { index: 3, size, hashes: inBase64(await inclusionProof(3, size, rootOf)) },
      consistency: { from: 3, to: size, hashes: inBase64(await consistencyProof(3, size, rootOf)) },
    },
    notes: {
      log: name,
      private_key: PRIVATE_KEY,
      key,
      checkpoints: [await noteOf(3), await noteOf(size)],
      receipt: {
        ingests,
        note: signNote(`${RECEIPT_HEADER}\n${name}\n${JSON.stringify(receipt)}\n`, name, signer),
      },
    },
    ledger: {
      earlier: await ledgerProof(3, 3, null),
      later: await ledgerProof(5, size, 3),
      statement: {
        account_id: ACCOUNT,
        month: '2026-11',
        from: '2026-11-01T00:00:00.000Z',
        until: '2026-12-01T00:00:00.000Z',
        opening_balance: '4.96',
        credited: '0',
        charged: '0',
        refunded: '0.01',
        closing_balance: '4.97',
        ledger: { stream: ledger, revision: 4, hash: events[4]!.event.hash, checkpoint: await noteOf(size) },
        postings: [
          {
            revision: 3,
            at: '2026-11-01T00:00:02.000Z',
            kind: 'refund',
            id: 'refund-1',
            charge_id: 'charge-1',
            amount: '0.01',
            balance: '4.97',
            lines: [{ price: 'VECTOR_PROCESSING', amount: '0.01' }],
          },
        ],
      },
    },
  }
}

describe('docs/reference/log-vectors.json', () => {
  let folder = ''
  beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'medialog-vectors-'))))
  afterAll(() => rm(folder, { recursive: true }))

  test('is what the service makes of these events', async () => {
    const made = await vectors()
    expect(await standing(VECTORS, made), '`npm run events` writes it anew').toBe(written(made))
  })

  test('is proven by the scripts for third parties', async () => {
    const { notes, ledger } = await vectors()
    const files = {
      'earlier.ndjson': ledger.earlier.map((line) => `${JSON.stringify(line)}\n`).join(''),
      'later.ndjson': ledger.later.map((line) => `${JSON.stringify(line)}\n`).join(''),
      'statement.json': JSON.stringify(ledger.statement),
      'earlier.note': notes.checkpoints[0]!,
      'later.note': notes.checkpoints[1]!,
      'receipt.json': JSON.stringify({ note: notes.receipt.note }),
    }
    const at = (name: string): string => join(folder, name)
    for (const [name, text] of Object.entries(files)) await writeFile(at(name), text)
    for (const [what, ...names] of [
      ['checkpoint', 'later.note'],
      ['receipt', 'receipt.json'],
      ['ledger', 'earlier.ndjson'],
      ['ledger', 'later.ndjson', 'earlier.ndjson'],
      ['ledger', 'later.ndjson', 'earlier.note'],
      ['statement', 'statement.json', 'later.ndjson'],
    ] as const) {
      const said = await verified(notes.key, what, ...names.map(at))
      expect(said, said.said).toMatchObject({ code: 0 })
      if (what === 'checkpoint' || what === 'receipt') continue
      expect((await verifiedInPython(notes.key, what, ...names.map(at))) ?? said).toEqual(said)
    }
  })
})

test('docs/reference/log-format.md names every type of event, and where it stands', async () => {
  const page = await readFile(PAGE, 'utf8')
  for (const type of types)
    expect(page, type).toMatch(new RegExp(`^\\| \`${streamsOf(type)}[^|]*\\|.*\\b${type}\\b`, 'm'))
})
