import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createBackground, createStreams, newId, StreamDamaged, SYSTEM } from '@medialog/application'
import type { Cause } from '@medialog/domain'
import { openSqliteEventStore } from '@medialog/event-store'
import { formatUsd, systemClock, usd } from '@medialog/kernel'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { RecoveryPorts } from './ports.ts'
import { recover, type OtherProcesses } from './recovery.ts'
import { makeSteps } from './steps.ts'

let folder: string
let store: Awaited<ReturnType<typeof openSqliteEventStore>>
let ports: RecoveryPorts
const accountId = newId()
/** In a month whose books the next posting closes. */
const at = Date.UTC(2025, 10, 20)
const open = { charges: [] as { chargeId: string; cause: Cause }[], requests: [] as Requests }
type Requests = Awaited<ReturnType<RecoveryPorts['work']['requests']>>

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'medialog-recovery-'))
  store = await openSqliteEventStore({ path: join(folder, 'events.sqlite') })
  open.charges = []
  open.requests = []
  ports = {
    clock: systemClock,
    eventStore: store,
    streams: createStreams(store, systemClock),
    background: createBackground(() => undefined),
    projections: { reached: async () => true },
    staging: { sweep: async () => undefined },
    work: {
      ingests: async () => [],
      requests: async () => open.requests,
      batches: async () => [],
      charges: async () => open.charges.map((charge) => ({ ...charge, accountId, rest: usd('0.02'), at })),
    },
  } as unknown as RecoveryPorts
  const credit = { type: 'Credit', creditId: newId(), amount: usd('0.1'), reference: null, at } as const
  await ports.streams.execute('ledger', accountId, credit, SYSTEM)
})
afterEach(async () => {
  await store.close()
  await rm(folder, { recursive: true })
})

/** Three cents charged and one of them refunded already, as a crash right before settling leaves it. */
async function charged(requestStream?: string): Promise<{ requestId: string }> {
  const requestId = newId()
  const cause = { operation: 'search', requestId, ...(requestStream !== undefined && { requestStream }) }
  const post = (command: Parameters<typeof ports.streams.execute<'ledger'>>[2]) =>
    ports.streams.execute('ledger', accountId, command, SYSTEM)
  const price = 'ADVANCED_SEARCH'
  await post({ type: 'Charge', chargeId: requestId, lines: [{ price, amount: usd('0.03') }], cause, at })
  await post({
    type: 'Refund',
    refundId: `unused-${requestId}`,
    chargeId: requestId,
    lines: [{ price, amount: usd('0.01') }],
    reason: 'not used',
    at,
  })
  open.charges.push({ chargeId: requestId, cause })
  return { requestId }
}

async function request(stream: string, requestId: string, answered: boolean): Promise<void> {
  const send = (command: Parameters<typeof ports.streams.execute<'request'>>[2]) =>
    ports.streams.execute('request', stream, command, SYSTEM)
  await send({ type: 'StartRequest', accountId, requestId, fingerprint: 'x', known: null, at: Date.now() })
  if (answered) await send({ type: 'CompleteRequest', requestId, answer: {}, at: Date.now() })
}

const recovered = async (others?: OtherProcesses) =>
  recover(ports, makeSteps(ports), { resume: () => true, others })
const ledger = async () => {
  const { selected } = await ports.streams.load('ledger', accountId, ({ balance, charges }) => ({
    balance: formatUsd(balance),
    open: [...charges.values()].filter((charge) => charge.open).length,
  }))
  return selected
}

test('refunds what is left of the charge of a request that died, once', async () => {
  await charged()
  expect(await ledger()).toEqual({ balance: '0.08', open: 1 })
  expect(await recovered()).toEqual({ settled: 0, refunded: 1, abandoned: 0, resumed: 0 })
  expect(await ledger()).toEqual({ balance: '0.1', open: 0 })
  expect(await recovered()).toEqual({ settled: 0, refunded: 0, abandoned: 0, resumed: 0 })
  expect(await ledger()).toEqual({ balance: '0.1', open: 0 })
})

test('settles the charge of a request whose answer a repeat will be given', async () => {
  const stream = newId()
  const { requestId } = await charged(stream)
  await request(stream, requestId, true)
  expect(await recovered()).toEqual({ settled: 1, refunded: 0, abandoned: 0, resumed: 0 })
  expect(await ledger()).toEqual({ balance: '0.08', open: 0 })
})

test('refunds where the key has no answer, or another request’s', async () => {
  const stream = newId()
  const { requestId } = await charged(stream)
  await request(stream, requestId, false)
  const other = newId()
  await charged(other)
  await request(other, newId(), true)
  expect(await recovered()).toEqual({ settled: 0, refunded: 2, abandoned: 1, resumed: 0 })
  expect(await ledger()).toEqual({ balance: '0.1', open: 0 })
})

const NOTHING = { settled: 0, refunded: 0, abandoned: 0, resumed: 0 }

test('leaves alone what another process may be at, and takes it up once it counts as dead', async () => {
  const stream = newId()
  const { requestId } = await charged(stream)
  await request(stream, requestId, false)
  open.requests.push({ stream: `request-${stream}`, accountId, requestId, at })
  let longest = 2
  const others = { mayBeAt: (since: number) => since > at - longest, carry: async () => false }
  expect(await recovered(others)).toEqual(NOTHING)
  expect(await ledger()).toEqual({ balance: '0.08', open: 1 })
  longest = 0
  expect(await recovered(others)).toEqual({ ...NOTHING, refunded: 1, abandoned: 1 })
  expect(await ledger()).toEqual({ balance: '0.1', open: 0 })
  const key = await ports.streams.load('request', stream, ({ current }) => current)
  expect(key.selected).toBeNull()
})

test('leaves alone an upload that is carried, and the key that it came with', async () => {
  const stream = newId()
  const [requestId, mediaId] = [newId(), newId()]
  const cause = { operation: 'upload', requestId, jobId: requestId, mediaId }
  const lines = [{ price: 'DOCUMENT_PROCESSING', amount: usd('0.04') }]
  const charge = { type: 'Charge', chargeId: requestId, lines, cause, at } as const
  await ports.streams.execute('ledger', accountId, charge, SYSTEM)
  await request(stream, requestId, false)
  open.charges.push({ chargeId: requestId, cause })
  open.requests.push({ stream: `request-${stream}`, accountId, requestId, at })
  const carried = new Set([requestId])
  const others = { mayBeAt: () => false, carry: async (jobId: string) => carried.has(jobId) }
  expect(await recovered(others)).toEqual(NOTHING)
  expect(await ledger()).toEqual({ balance: '0.06', open: 1 })
  carried.clear()
  ports.artifacts = { deleteIngest: async () => undefined } as Partial<RecoveryPorts['artifacts']> as never
  expect(await recovered(others)).toEqual({ ...NOTHING, refunded: 1, abandoned: 1 })
  expect(await ledger()).toEqual({ balance: '0.1', open: 0 })
})

test('staged files are needed as long as a batch that goes on names them, or their upload is carried', async () => {
  const job = (mediaType: 'document', n: number) => ({
    jobId: newId(),
    mediaId: newId(),
    stagedId: newId(),
    filename: `${n}.txt`,
    mediaType,
    sizeBytes: 1,
    sha256: 'a'.repeat(64),
    duplicate: false,
  })
  const batchId = newId()
  const jobs = [job('document', 1), job('document', 2)]
  const intent = { accountId, batchId, name: null, collection: null, overwrite: false, price: [], jobs, at }
  const send = (command: Parameters<typeof ports.streams.execute<'batch'>>[2]) =>
    ports.streams.execute('batch', batchId, command, { ...SYSTEM, accountId })
  const [carried, ended] = [newId(), newId()]
  const staged = [...jobs.map(({ stagedId }) => stagedId), carried, ended]
  const needed: string[] = []
  ports.staging.sweep = async (neededOf) => {
    const found = await neededOf(staged)
    needed.splice(0, Infinity, ...staged.filter((id) => found.has(id)))
    return 0
  }
  const others = { mayBeAt: () => true, carry: async (jobId: string) => jobId === carried }
  await send({ type: 'SubmitBatch', ...intent })
  ports.work.batches = async () => [{ batchId, accountId, status: 'submitted' }]
  await recovered(others)
  expect(needed).toEqual([...jobs.map(({ stagedId }) => stagedId), carried])
  await send({ type: 'CreateBatch', at })
  await send({ type: 'StartBatch', at })
  const outcome = { status: 'failed', code: 'cancelled', message: '' } as const
  await send({ type: 'FinishJob', jobId: jobs[0]!.jobId, outcome, at })
  await recovered(others)
  expect(needed).toEqual([jobs[1]!.stagedId, carried])
  ports.work.batches = async () => []
  await recovered(others)
  expect(needed).toEqual([carried])
})

test('a damaged stream keeps nothing else from being taken up, and no staged file is swept beside it', async () => {
  const bad = newId()
  const { streams, work } = ports
  const refused = (id: string): void => {
    if (id === bad)
      throw new StreamDamaged({ stream: `ledger-${bad}`, revision: null, reason: 'it was deleted' })
  }
  const swept: string[] = []
  ports = {
    ...ports,
    streams: {
      ...streams,
      async execute(...args: Parameters<typeof streams.execute>) {
        refused(args[1])
        return streams.execute(...args)
      },
      async load(...args: Parameters<typeof streams.load>) {
        refused(args[1])
        return streams.load(...args)
      },
    },
    work: {
      ...work,
      charges: async () => [
        { accountId: bad, chargeId: newId(), rest: usd('0.02'), cause: { operation: 'search' }, at },
        ...(await work.charges()),
      ],
      batches: async () => [{ batchId: bad, accountId: bad, status: 'running' }],
    },
    staging: {
      sweep: async (needed: (ids: string[]) => Promise<unknown>) => {
        await needed([])
        swept.push('swept')
      },
    },
  } as unknown as RecoveryPorts
  await charged()
  expect(await recovered()).toEqual({ settled: 0, refunded: 1, abandoned: 0, resumed: 0 })
  expect(await ledger()).toEqual({ balance: '0.1', open: 0 })
  expect(swept).toEqual([])
})
