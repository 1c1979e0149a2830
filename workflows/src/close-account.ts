import {
  accountErasureIdOf,
  collectionErasureIdOf,
  eraseFileNames,
  keptAnswerOf,
  namedIngest,
  submittedBatch,
  streamName,
  SYSTEM,
  type Ports,
  type KeptAnswerRef,
  type LogTree,
  type Orchestrator,
  type Projections,
} from '@medialog/application'
import { REQUEST_MEMORY_MS } from '@medialog/domain'
import { BEGINNING, type Uuid } from '@medialog/kernel'
import { deleteIngest } from './delete-ingest.ts'
import { truncate } from './truncate.ts'

export type ClosingPorts = Pick<Ports, 'streams' | 'eventStore' | 'catalog' | 'work' | 'clock'> & {
  keptAnswers: Pick<Ports['keptAnswers'], 'remove'>
  logTree: Pick<LogTree, 'holds'>
  orchestrator: Pick<Orchestrator, 'stopBatch'>
  projections: Pick<Projections, 'rebuild' | 'reached'>
}

/** An event of all their names stays well below what every engine takes at once. */
const AT_ONCE = 500
const STOPPING_MS = 5_000
const CATCHING_UP_MS = 30_000

/**
 * Takes an account one step further to being gone: no key works, nothing runs, nothing is charged, every item is deleted,
 * and nothing in it is waited for. What its ledger says stays. Each step finds out from the log what is left to do, so it may
 * die anywhere and be run again. True once all of it is done.
 */
export async function closeAccount(ports: ClosingPorts, accountId: Uuid): Promise<boolean> {
  const { streams, clock } = ports
  const by = { ...SYSTEM, accountId }
  await streams.execute('account', accountId, { type: 'CloseAccount' }, by)
  if (await isAtWork(ports, accountId)) return false
  // A request that was admitted before finds no money from here on: nothing new can come.
  await streams.execute('ledger', accountId, { type: 'CloseLedger', at: clock.now() }, by)
  const { selected: isSettled } = await streams.load('ledger', accountId, ({ closed }) => closed)
  if (!isSettled || !(await areReadsSettled(ports)) || (await isAtWork(ports, accountId))) return false
  if (await deleteItems(ports, accountId)) return false
  if (!(await areCollectionsGone(ports, accountId)) || (await areReceiptsOwed(ports, accountId))) return false
  // What was deleted or replaced before is the account's, too, though its receipt does not name it.
  return (await ports.catalog.pendingErasures(1, { of: accountId })).length === 0
}

/** What a read model does not show yet would be taken for what is not there. */
async function areReadsSettled({ eventStore, projections }: ClosingPorts): Promise<boolean> {
  const readModels = ['work', 'catalog'] as const
  return projections.reached(await eventStore.head(), { readModels, timeoutMs: CATCHING_UP_MS })
}

/** Stops what can be stopped; uploads and questions that are under way end by themselves. */
async function isAtWork(
  { streams, work, orchestrator, clock }: ClosingPorts,
  accountId: Uuid,
): Promise<boolean> {
  const isOurs = (some: { accountId: Uuid }): boolean => some.accountId === accountId
  const batches = (await work.batches()).filter(isOurs)
  for (const { batchId, status } of batches) {
    // An intent becomes a batch, or is given up, in a moment.
    if (status === 'submitted') continue
    await streams.execute(
      'batch',
      batchId,
      { type: 'CancelBatch', at: clock.now() },
      { ...SYSTEM, accountId },
    )
    await orchestrator.stopBatch(batchId, AbortSignal.timeout(STOPPING_MS))
  }
  if (batches.length > 0) return true
  return (await work.ingests()).some(isOurs) || (await work.charges()).some(isOurs)
}

/** True where there was anything to delete: the next look, once the catalog knows, tells whether that was all. */
async function deleteItems({ streams, catalog, clock }: ClosingPorts, accountId: Uuid): Promise<boolean> {
  const { items } = await catalog.list(accountId, {}, { offset: 0, limit: AT_ONCE })
  const named = await Promise.all(
    items.map(({ mediaId, ingestId }) => namedIngest(streams, mediaId, ingestId)),
  )
  const ingests = named.filter((ingest) => ingest !== null)
  const command = { type: 'ExtendErasure' as const, ingests, at: clock.now() }
  await streams.execute('erasure', accountErasureIdOf(accountId), command, { ...SYSTEM, accountId })
  for (const { mediaId, ingestId } of items)
    await deleteIngest({ streams, clock }, accountId, mediaId, ingestId)
  return items.length > 0
}

/** What ended with its collection before is deleted by the eraser. */
async function areCollectionsGone(ports: ClosingPorts, accountId: Uuid): Promise<boolean> {
  for (const place of await endedPlaces(ports, accountId)) {
    const ended = await ports.catalog.endedCollection(accountId, place.collection, place.generation)
    if (ended && ended.left > 0) return false
  }
  return true
}

/** Of what was asked for before: carrying that out takes the names that go with the account. */
async function areReceiptsOwed({ work }: ClosingPorts, accountId: Uuid): Promise<boolean> {
  const own = accountErasureIdOf(accountId)
  return (await work.erasures()).some((open) => open.accountId === accountId && open.erasureId !== own)
}

async function endedPlaces({ streams }: ClosingPorts, accountId: Uuid) {
  const { selected } = await streams.load('library', accountId, ({ generations }) => [...generations])
  return selected.flatMap(([collection, next]) =>
    Array.from({ length: next }, (_, generation) => ({ collection, generation })),
  )
}

/**
 * Takes names of files, batches, collections, keys and of the account itself out of the log, addresses of webhooks, and what
 * was kept for Idempotency-Keys, once all else is gone. The read models of accounts and batches are rebuilt without them:
 * a row that is removed may leave a copy in its database's pages. False where they are behind, or a batch is not over: to be
 * tried again.
 */
export async function eraseNames(ports: ClosingPorts, accountId: Uuid): Promise<boolean> {
  const { streams, projections, clock } = ports
  const by = { ...SYSTEM, accountId }
  const { batches, requests, answers } = await namedOf(ports, accountId)
  for (const batchId of batches) if (!(await eraseBatch(ports, accountId, batchId))) return false
  for (const answer of answers) await ports.keptAnswers.remove(answer)
  await eraseRequests(ports, accountId, [...requests])
  for (const place of await endedPlaces(ports, accountId)) {
    const erasureId = collectionErasureIdOf(accountId, place)
    const { revision, position } = await streams.load('erasure', erasureId, () => undefined)
    if (revision !== null) await truncate(ports, 'erasure', erasureId, { revision, position })
  }
  const gone = { accountId, at: clock.now() }
  const library = await streams.execute('library', accountId, { ...gone, type: 'EraseLibrary' }, by)
  await truncate(ports, 'library', accountId, library)
  const webhooks = await streams.execute('webhooks', accountId, { ...gone, type: 'EraseWebhooks' }, by)
  await truncate(ports, 'webhooks', accountId, webhooks)
  const erased = await streams.execute('account', accountId, { type: 'EraseAccount' }, by)
  await truncate(ports, 'account', accountId, erased)
  if (!(await projections.reached(erased.position, { timeoutMs: CATCHING_UP_MS }))) return false
  const quietly = (): void => undefined
  await projections.rebuild('accounts', quietly)
  // With it, of the same store: history, which knows of what is gone by its places in the log alone.
  await projections.rebuild('batches', quietly)
  return true
}

/** What only the log knows all of: batches that were refused before anybody saw them, Idempotency-Keys and answers for them. */
async function namedOf(
  { eventStore, clock }: ClosingPorts,
  accountId: Uuid,
): Promise<{ batches: Set<Uuid>; requests: Set<Uuid>; answers: KeptAnswerRef[] }> {
  const found = { batches: new Set<Uuid>(), requests: new Set<Uuid>(), answers: [] as KeptAnswerRef[] }
  const [batch, request] = [streamName('batch', ''), streamName('request', '')]
  // Others were swept, or are about to be.
  const since = clock.now() - 2 * REQUEST_MEMORY_MS
  for await (const recorded of eventStore.readAll(BEGINNING)) {
    const { stream, metadata } = recorded
    if (metadata.accountId !== accountId) continue
    if (stream.startsWith(batch)) found.batches.add(stream.slice(batch.length))
    if (!stream.startsWith(request)) continue
    found.requests.add(stream.slice(request.length))
    const answer = keptAnswerOf(recorded)
    if (answer && answer.at > since) found.answers.push(answer)
  }
  return found
}

async function eraseRequests(ports: ClosingPorts, accountId: Uuid, ids: readonly Uuid[]): Promise<void> {
  const command = { type: 'EraseRequest', accountId, at: ports.clock.now() } as const
  for (const id of ids)
    await truncate(
      ports,
      'request',
      id,
      await ports.streams.execute('request', id, command, { ...SYSTEM, accountId }),
    )
}

/** False where it is not over. */
async function eraseBatch(ports: ClosingPorts, accountId: Uuid, batchId: Uuid): Promise<boolean> {
  const { streams, eventStore, clock } = ports
  const { selected: succeeded } = await streams.load(
    'batch',
    batchId,
    ({ jobs }) =>
      jobs
        .values()
        .filter((outcome) => outcome === 'succeeded')
        .toArray().length,
  )
  const price = (await submittedBatch(eventStore, batchId))?.intent.price ?? []
  const command = { type: 'EraseBatch', accountId, price, succeeded, at: clock.now() } as const
  const by = { ...SYSTEM, accountId }
  const erased = await streams.execute('batch', batchId, command, by, { select: ({ status }) => status })
  if (erased.selected !== 'erased') return false
  const left = await eraseFileNames(ports, accountId, batchId, null)
  if (left) await truncate(ports, 'files', batchId, left)
  await truncate(ports, 'batch', batchId, erased)
  return true
}
