import { encodeEvent } from '@medialog/contract'
import type { DomainEvent } from '@medialog/domain'
import type { RecordedEvent } from '@medialog/kernel'
import { expect, test } from 'vitest'
import { newId } from '../core/ids.ts'
import type { EventStore } from '../ports/index.ts'
import { recordedIngest } from './recorded-ingest.ts'
import { recordOf, SHA256 } from './testing/record.ts'

const [accountId, mediaId, first, second] = [newId(), newId(), newId(), newId()]
const place = { collection: 'default', generation: 0 }
const artifacts = (name: string) => ({ [name]: { sha256: '0'.repeat(64), size: 1 } })
const record = (ingestId: string) => ({ ...recordOf(ingestId), artifacts: artifacts('first') })
const claimed = (ingestId: string, at: number): DomainEvent => ({
  type: 'IngestClaimed',
  accountId,
  ingestId,
  jobId: ingestId,
  batchId: null,
  sha256: SHA256,
  at,
})
const embedded = (ingestId: string, name: string): DomainEvent => ({
  type: 'MediaReembedded',
  accountId,
  ingestId,
  embedder: name,
  artifacts: artifacts(name),
  at: 3,
})
const unknown = { type: 'ItemAdmired', version: 1, data: {} }

/** A log of this one stream, which is read from its end. */
const logOf = (...events: (DomainEvent | typeof unknown)[]) => {
  const recorded = events.map((event, revision) => ({
    ...('data' in event ? event : encodeEvent(event)),
    stream: `media-${mediaId}`,
    revision,
    position: 10 + revision,
  })) as RecordedEvent[]
  return {
    async *read() {
      yield* recorded.toReversed()
    },
  } as unknown as EventStore
}
const ingested: DomainEvent = { type: 'MediaIngested', accountId, place, ...record(first) }
const overwritten: DomainEvent = {
  type: 'MediaOverwritten',
  accountId,
  place: null,
  previousIngestId: first,
  ...record(second),
}

test('an ingest has the artifacts of its last embedding, and none of another ingest', async () => {
  const log = logOf(
    claimed(first, 1),
    ingested,
    embedded(first, 'a'),
    embedded(first, 'b'),
    claimed(second, 4),
    overwritten,
    embedded(second, 'c'),
  )
  expect(await recordedIngest(log, mediaId, first)).toMatchObject({
    record: { artifacts: artifacts('b') },
    place,
    position: 11,
    claimedAt: 1,
    superseded: true,
  })
  expect(await recordedIngest(log, mediaId, second)).toMatchObject({
    record: { artifacts: artifacts('c') },
    place: null,
    claimedAt: 4,
    superseded: false,
  })
  expect(await recordedIngest(logOf(claimed(first, 1), ingested), mediaId, second)).toBeNull()
})

test('an event of a later release hides no ingest before it', async () => {
  expect(await recordedIngest(logOf(claimed(first, 1), ingested, unknown), mediaId, first)).toMatchObject({
    record: { ingestId: first, artifacts: artifacts('first') },
    claimedAt: 1,
    superseded: false,
  })
})
