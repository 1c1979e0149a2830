import { randomUUID } from 'node:crypto'
import { encodeUnderstood } from '@medialog/application'
import type { Appended, ArtifactStore } from '@medialog/application/ports'
import { encodeEvent } from '@medialog/contract'
import type { DomainEvent, IngestRecord } from '@medialog/domain'
import type { ChainedEventStore } from '@medialog/event-store'
import type { NewEvent, Uuid } from '@medialog/kernel'
import { understoodOf } from '@medialog/projections/testing/history'

/** A log, and what its events say is stored. */
export interface Past {
  store: ChainedEventStore
  artifacts: ArtifactStore
}

const WORDS = 'river stone harbour ledger winter engine copper meadow signal archive'.split(' ')

export const newEvent = (event: DomainEvent): NewEvent => ({
  ...encodeEvent(event),
  id: randomUUID(),
  metadata: { timestamp: '2026-11-20T10:00:00.000Z', actor: 'system' },
})

/** Stores and records an item of one page: four chunks, others for each number. */
export async function writeItem(
  { store, artifacts }: Past,
  accountId: Uuid,
  number: number,
): Promise<Appended> {
  const [mediaId, ingestId] = [randomUUID(), randomUUID()]
  const paragraph = (part: number) =>
    Array.from(
      { length: 80 },
      (_, index) => WORDS[(number * 7 + part * 3 + index * index) % WORDS.length],
    ).join(' ')
  const understood = understoodOf([0, 1, 2].map(paragraph).join('\n\n'))
  const receipts: IngestRecord['artifacts'] = {}
  for (const { name, bytes } of encodeUnderstood(understood))
    receipts[name] = await artifacts.put({ accountId, mediaId, ingestId }, name, bytes)
  const event = newEvent({
    type: 'MediaIngested',
    accountId,
    place: { collection: 'default', generation: 0 },
    ingestId,
    jobId: ingestId,
    mediaType: 'document',
    format: 'txt',
    filename: `${number}.txt`,
    sizeBytes: 2_000,
    sha256: 'a'.repeat(64),
    artifacts: receipts,
    vectorCount: { hd: 1 + understood.chunks.length, ld: 1 },
    embedder: 'bench',
    enricher: 'bench',
    durationMs: 1,
    at: Date.parse('2026-11-20T10:00:00Z') + number,
  })
  return store.append(`media-${mediaId}`, 'no-stream', [event])
}
