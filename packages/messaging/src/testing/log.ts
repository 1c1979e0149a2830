import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newId } from '@medialog/application'
import { encodeEvent } from '@medialog/contract'
import type { DomainEvent } from '@medialog/domain'
import { openSqliteEventStore, type ChainedEventStore } from '@medialog/event-store'
import type { NewEvent, StreamName, Uuid } from '@medialog/kernel'

export const newEvent = (event: DomainEvent, accountId: Uuid = newId()): NewEvent => ({
  id: newId(),
  ...encodeEvent(event),
  metadata: { timestamp: '2026-11-20T13:00:00.000Z', actor: 'k3y1d000', accountId },
})

/** Appends to the stream's end. */
export async function append(
  store: Pick<ChainedEventStore, 'append' | 'read'>,
  stream: StreamName,
  ...events: readonly NewEvent[]
): Promise<void> {
  let expected: number | 'no-stream' = 'no-stream'
  for await (const { revision } of store.read(stream, { direction: 'backwards', limit: 1 }))
    expected = revision
  await store.append(stream, expected, events)
}

/** A log of its own for a test. */
export async function openLog(): Promise<{
  store: ChainedEventStore
  path: string
  remove(): Promise<void>
}> {
  const folder = await mkdtemp(join(tmpdir(), 'medialog-publishing-'))
  const path = join(folder, 'log.sqlite')
  const store = await openSqliteEventStore({ path })
  return {
    store,
    path,
    async remove() {
      await store.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

export const settled = (chargeId: string): DomainEvent => ({ type: 'ChargeSettled', chargeId, at: 1 })

/** The events of an upload: its money, and its item. */
export function upload({
  accountId,
  mediaId,
  filename,
}: Record<'accountId' | 'mediaId' | 'filename', string>): {
  [stream: StreamName]: NewEvent[]
} {
  const jobId = newId()
  const sha256 = 'ab'.repeat(32)
  const ingest = { accountId, ingestId: jobId, jobId }
  const event = (of: DomainEvent) => newEvent(of, accountId)
  return {
    [`ledger-${accountId}`]: [
      event({
        type: 'BalanceCharged',
        chargeId: jobId,
        amount: 40_000_000n,
        lines: [{ price: 'DOCUMENT_PROCESSING', amount: 40_000_000n }],
        cause: { operation: 'upload', jobId, mediaId, requestStream: newId() },
        at: 1,
      }),
      event(settled(jobId)),
    ],
    [`media-${mediaId}`]: [
      event({ type: 'IngestClaimed', ...ingest, batchId: null, sha256, at: 1 }),
      event({
        type: 'MediaIngested',
        ...ingest,
        mediaType: 'document',
        format: 'txt',
        filename,
        sizeBytes: 12,
        sha256,
        artifacts: { text: { sha256, size: 12 } },
        vectorCount: { hd: 2, ld: 1 },
        embedder: 'e',
        enricher: 'o',
        durationMs: 3,
        place: { collection: 'default', generation: 0 },
        at: 1,
      }),
    ],
  }
}

export const deletion = (accountId: Uuid, ingestId: Uuid, reason: string): NewEvent =>
  newEvent(
    { type: 'MediaDeleted', accountId, ingestId, cause: 'requested', reason, lives: [], at: 2 },
    accountId,
  )
