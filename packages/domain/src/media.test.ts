import { fold } from '@medialog/kernel'
import { describe, expect, test } from 'vitest'
import {
  ClaimLost,
  DuplicateMedia,
  IngestInProgress,
  mediaDecider,
  MediaNotFound,
  MOST_STAYS,
  type IngestRecord,
  type MediaCommand,
  type MediaEvent,
  type PastLife,
  type Place,
} from './media.ts'
import { given } from './testing/given-when-then.ts'

const media = mediaDecider((account, { collection, generation }) => `${account}/${collection}/${generation}`)
const ids = (ingestId: string) => ({ accountId: 'a', ingestId, jobId: `job of ${ingestId}` })
const home: Place = { collection: 'default', generation: 0 }
const elsewhere: Place = { collection: 'x', generation: 3 }

function recordOf(ingestId: string): IngestRecord {
  return {
    ingestId,
    jobId: `job of ${ingestId}`,
    mediaType: 'document',
    format: 'pdf',
    filename: 'paper.pdf',
    sizeBytes: 10,
    sha256: 'c0ffee',
    artifacts: { 'text.json': { sha256: 'beef', size: 4 } },
    vectorCount: { hd: 2, ld: 1 },
    embedder: 'e',
    enricher: 'n',
    durationMs: 7,
    at: 2,
  }
}

const claim = (
  ingestId: string,
  {
    overwrite = false,
    dead = null,
    after,
  }: { overwrite?: boolean; dead?: string | null; after?: number } = {},
): MediaCommand => ({
  type: 'ClaimIngest',
  ...ids(ingestId),
  batchId: null,
  sha256: 'c0ffee',
  overwrite,
  dead,
  ...(after !== undefined && { after }),
  at: 1,
})
const release = (ingestId: string): MediaCommand => ({
  type: 'ReleaseIngest',
  ingestId,
  reason: 'timeout',
  at: 3,
})
const record = (ingestId: string, { place = home, keepPlace = false } = {}): MediaCommand => ({
  type: 'RecordIngest',
  place,
  keepPlace,
  record: recordOf(ingestId),
})
const deletion = (ingestId: string): MediaCommand => ({
  type: 'DeleteMedia',
  cause: 'requested',
  reason: 'asked for',
  ingestId,
  at: 4,
})

const claimed = (ingestId: string): MediaEvent => ({
  type: 'IngestClaimed',
  ...ids(ingestId),
  batchId: null,
  sha256: 'c0ffee',
  at: 1,
})
const released = (ingestId: string): MediaEvent => ({
  type: 'IngestReleased',
  ...ids(ingestId),
  reason: 'timeout',
  at: 3,
})
const ingested = (ingestId: string, place = home): MediaEvent => ({
  type: 'MediaIngested',
  accountId: 'a',
  place,
  ...recordOf(ingestId),
})
const overwritten = (ingestId: string, previousIngestId: string, place: Place | null): MediaEvent => ({
  type: 'MediaOverwritten',
  accountId: 'a',
  place,
  previousIngestId,
  ...recordOf(ingestId),
})
const stay = { from: 2, mediaType: 'document', placeId: 'a/default/0' } as const
const deleted = (
  ingestId: string,
  lives: PastLife[] = [{ createdAt: 2, until: 4, stays: [stay] }],
): MediaEvent => ({
  type: 'MediaDeleted',
  accountId: 'a',
  ingestId,
  cause: 'requested',
  reason: 'asked for',
  lives,
  at: 4,
})
const deletedAsDead = (ingestId: string): MediaEvent => ({
  type: 'MediaDeleted',
  accountId: 'a',
  ingestId,
  cause: 'collection-deleted',
  reason: null,
  // Asked for by a process whose clock is behind.
  lives: [{ createdAt: 2, until: 2, stays: [stay] }],
  at: 1,
})

const embeddingOf = (ingestId: string, embedder: string) => ({
  ingestId,
  embedder,
  artifacts: { 'text.json': { sha256: 'beef', size: 4 } },
  at: 5,
})
const embedding = (ingestId: string, embedder: string): MediaCommand => ({
  type: 'RecordEmbedding',
  record: embeddingOf(ingestId, embedder),
})
const reembedded = (ingestId: string, embedder: string): MediaEvent => ({
  type: 'MediaReembedded',
  accountId: 'a',
  ...embeddingOf(ingestId, embedder),
})

const stored = [claimed('i1'), ingested('i1')]
const replaced = [...stored, claimed('i2'), overwritten('i2', 'i1', null)]

describe('a claim', () => {
  test('is taken where nothing is, and again after a release or a deletion', () => {
    given(media).when(claim('i1')).then(claimed('i1'))
    given(media, claimed('i1'), released('i1')).when(claim('i2')).then(claimed('i2'))
    given(media, ...stored, deleted('i1'))
      .when(claim('i2'))
      .then(claimed('i2'))
  })

  test('keeps all others out until it is recorded or released', () => {
    const busy = { code: 'DUPLICATE_FILE', jobId: 'job of i1' }
    given(media, claimed('i1')).when(claim('i2')).thenFails(IngestInProgress, busy)
    given(media, claimed('i1'))
      .when(claim('i2', { overwrite: true }))
      .thenFails(IngestInProgress, busy)
    given(media, claimed('i1'))
      .when(claim('i2', { dead: 'i1' }))
      .thenFails(IngestInProgress, busy)
  })

  test('is the same claim when asked for again, also once it was recorded, replaced or deleted', () => {
    given(media, claimed('i1')).when(claim('i1')).thenNothing()
    given(media, ...stored)
      .when(claim('i1'))
      .thenNothing()
    given(media, ...replaced)
      .when(claim('i1'))
      .thenNothing()
    given(media, ...stored, deleted('i1'))
      .when(claim('i1'))
      .thenNothing()
  })

  test('is taken once more after the end of the process that had it, once for each', () => {
    given(media, claimed('i1'))
      .when(claim('i1', { after: 1 }))
      .then(claimed('i1'))
    given(media, claimed('i1'), claimed('i1'))
      .when(claim('i1', { after: 1 }))
      .thenNothing()
    given(media, claimed('i1'), claimed('i1'))
      .when(claim('i1', { after: 2 }))
      .then(claimed('i1'))
    // It may replace what was there when it was claimed first.
    given(media, ...stored, claimed('i2'))
      .when(claim('i2', { after: 1 }))
      .then(claimed('i2'))
  })

  test('is not taken once more where it was lost meanwhile', () => {
    const lost = { code: 'CLAIM_LOST' }
    given(media)
      .when(claim('i1', { after: 1 }))
      .thenFails(ClaimLost, lost)
    given(media, claimed('i1'), released('i1'))
      .when(claim('i1', { after: 1 }))
      .thenFails(ClaimLost, lost)
    given(media, claimed('i2'))
      .when(claim('i1', { after: 1 }))
      .thenFails(ClaimLost, lost)
    given(media, ...stored)
      .when(claim('i1', { after: 1 }))
      .thenNothing()
  })

  test('is refused where the item is there and may not be replaced', () => {
    given(media, ...stored)
      .when(claim('i2'))
      .thenFails(DuplicateMedia, { code: 'DUPLICATE_FILE' })
    given(media, ...stored)
      .when(claim('i2', { overwrite: true }))
      .then(claimed('i2'))
  })

  test('on a dead item deletes it first, replacing or not', () => {
    for (const overwrite of [false, true])
      given(media, ...stored)
        .when(claim('i2', { overwrite, dead: 'i1' }))
        .then(deletedAsDead('i1'), claimed('i2'))
    given(media)
      .when(claim('i1', { dead: 'i0' }))
      .then(claimed('i1'))
  })

  test('leaves an item that was stored again since the dead one was seen', () => {
    const since = [...stored, deleted('i1'), claimed('i2'), ingested('i2')]
    given(media, ...since)
      .when(claim('i3', { dead: 'i1' }))
      .thenFails(DuplicateMedia, { code: 'DUPLICATE_FILE' })
    given(media, ...since)
      .when(claim('i3', { overwrite: true, dead: 'i1' }))
      .then(claimed('i3'))
  })

  test('that was released is lost permanently: what was refunded cannot come back', () => {
    given(media, claimed('i1'), released('i1')).when(claim('i1')).thenFails(ClaimLost, { code: 'CLAIM_LOST' })
    given(media, claimed('i1'), released('i1'), claimed('i2')).when(claim('i1')).thenFails(ClaimLost)
    given(media, claimed('i1'), released('i1'), claimed('i2'), ingested('i2'))
      .when(claim('i1', { overwrite: true }))
      .thenFails(ClaimLost)
  })
})

describe('releasing', () => {
  test('gives the claim up once', () => {
    given(media, claimed('i1')).when(release('i1')).then(released('i1'))
    given(media, claimed('i1'), released('i1')).when(release('i1')).thenNothing()
  })

  test('of what is not claimed, or not any more, does nothing', () => {
    given(media).when(release('i1')).thenNothing()
    given(media, claimed('i1')).when(release('i2')).thenNothing()
    given(media, ...stored)
      .when(release('i1'))
      .thenNothing()
  })

  test('of an overwrite leaves the item as it was', () => {
    given(media, ...stored, claimed('i2'))
      .when(release('i2'))
      .then(released('i2'))
    given(media, ...stored, claimed('i2'), released('i2'))
      .when(claim('i3'))
      .thenFails(DuplicateMedia)
    given(media, ...stored, claimed('i2'), released('i2'))
      .when(deletion('i1'))
      .then(deleted('i1'))
  })
})

describe('recording', () => {
  test('is done once, at the place that the command names', () => {
    given(media, claimed('i1')).when(record('i1')).then(ingested('i1'))
    given(media, claimed('i1'))
      .when(record('i1', { place: elsewhere }))
      .then(ingested('i1', elsewhere))
    given(media, ...stored)
      .when(record('i1'))
      .thenNothing()
  })

  test('without a claim, or with one that was lost, is refused', () => {
    const lost = { code: 'CLAIM_LOST' }
    given(media).when(record('i1')).thenFails(ClaimLost, lost)
    given(media, claimed('i1'), released('i1')).when(record('i1')).thenFails(ClaimLost, lost)
    given(media, claimed('i1'), released('i1'), claimed('i2')).when(record('i1')).thenFails(ClaimLost, lost)
    given(media, ...stored)
      .when(record('i2'))
      .thenFails(ClaimLost, lost)
  })

  test('over an item keeps its place or changes it', () => {
    given(media, ...stored, claimed('i2'))
      .when(record('i2', { place: elsewhere, keepPlace: true }))
      .then(overwritten('i2', 'i1', null))
    given(media, ...stored, claimed('i2'))
      .when(record('i2', { place: elsewhere }))
      .then(overwritten('i2', 'i1', elsewhere))
  })

  test('over an item that was deleted meanwhile stores it again, with a place', () => {
    given(media, ...stored, claimed('i2'), deleted('i1'))
      .when(record('i2', { place: elsewhere, keepPlace: true }))
      .then(ingested('i2', elsewhere))
  })

  test('again of what was replaced or deleted since does not bring it back', () => {
    given(media, ...replaced)
      .when(record('i1'))
      .thenNothing()
    given(media, ...replaced, deleted('i2'))
      .when(record('i1'))
      .thenNothing()
    given(media, ...stored, deleted('i1'))
      .when(record('i1'))
      .thenNothing()
  })
})

describe('embedding anew', () => {
  test('is recorded for the ingest that is there, also under a claim of its item', () => {
    given(media, ...stored)
      .when(embedding('i1', 'f'))
      .then(reembedded('i1', 'f'))
    given(media, ...stored, claimed('i2'))
      .when(embedding('i1', 'f'))
      .then(reembedded('i1', 'f'))
    given(media, ...stored, claimed('i2'), reembedded('i1', 'f'))
      .when(record('i2', { keepPlace: true }))
      .then(overwritten('i2', 'i1', null))
  })

  test('with the embedder that it has already is nothing new', () => {
    given(media, ...stored)
      .when(embedding('i1', 'e'))
      .thenNothing()
    given(media, ...stored, reembedded('i1', 'f'))
      .when(embedding('i1', 'f'))
      .thenNothing()
    given(media, ...stored, reembedded('i1', 'f'))
      .when(embedding('i1', 'e'))
      .then(reembedded('i1', 'e'))
  })

  test('brings back neither what was deleted nor what was replaced', () => {
    given(media, ...stored, deleted('i1'))
      .when(embedding('i1', 'f'))
      .thenFails(MediaNotFound)
    given(media, ...replaced)
      .when(embedding('i1', 'f'))
      .thenFails(MediaNotFound)
    given(media, ...stored, reembedded('i1', 'f'))
      .when(deletion('i1'))
      .then(deleted('i1'))
    for (const history of [replaced, [...stored, deleted('i1')]])
      expect(fold(media, [...history, reembedded('i1', 'f')])).toEqual(fold(media, history))
  })
})

describe('deleting', () => {
  test('takes the ingest that was named, and no other', () => {
    given(media, ...stored)
      .when(deletion('i1'))
      .then(deleted('i1'))
    given(media, ...replaced)
      .when(deletion('i2'))
      .then(deleted('i2'))
    given(media, ...replaced)
      .when(deletion('i1'))
      .thenFails(MediaNotFound)
  })

  test('says why', () => {
    given(media, ...stored)
      .when({ type: 'DeleteMedia', cause: 'collection-deleted', reason: null, ingestId: 'i1', at: 1 })
      .then(deletedAsDead('i1'))
  })

  test('says since when it was there and where, in all its lives, and no content', () => {
    const moved = { ...stay, from: 3, placeId: 'a/x/3' }
    const again: MediaEvent[] = [claimed('i2'), { ...overwritten('i2', 'i1', elsewhere), at: 3 }]
    const first = { createdAt: 2, until: 4, stays: [stay, moved] }
    given(media, ...stored, ...again)
      .when(deletion('i2'))
      .then(deleted('i2', [first]))
    // What it was replaced with where it was is the same stay.
    given(media, ...replaced)
      .when(deletion('i2'))
      .then(deleted('i2'))
    // Another kind of content in the same place is a stay of its own.
    given(media, ...stored, claimed('i2'), {
      ...overwritten('i2', 'i1', null),
      mediaType: 'image',
      at: 3,
    } as MediaEvent)
      .when(deletion('i2'))
      .then(deleted('i2', [{ ...first, stays: [stay, { from: 3, mediaType: 'image', placeId: null }] }]))
    given(media, deleted('i2', [first]), claimed('i3'), { ...ingested('i3', elsewhere), at: 5 })
      .when({ ...deletion('i3'), at: 9 } as MediaCommand)
      .then({
        ...deleted('i3', [
          first,
          { createdAt: 5, until: 9, stays: [{ ...stay, from: 5, placeId: 'a/x/3' }] },
        ]),
        at: 9,
      })
  })

  test('says no time before the end of the life before, whatever the clocks say', () => {
    const before: PastLife = { createdAt: 2, until: 7, stays: [stay] }
    given(media, deleted('i1', [before]), claimed('i2'), ingested('i2'))
      .when(deletion('i2'))
      .then(deleted('i2', [before, { createdAt: 2, until: 7, stays: [{ ...stay, from: 7 }] }]))
    const again: MediaEvent[] = [claimed('i3'), { ...overwritten('i3', 'i2', elsewhere), at: 3 }]
    given(media, deleted('i1', [before]), claimed('i2'), ingested('i2'), ...again)
      .when(deletion('i3'))
      .then(
        deleted('i3', [
          before,
          {
            createdAt: 2,
            until: 7,
            stays: [
              { ...stay, from: 7 },
              { ...stay, from: 7, placeId: 'a/x/3' },
            ],
          },
        ]),
      )
  })

  test('of an item that was there and replaced ever so often is still one small event', () => {
    const many = Array.from({ length: MOST_STAYS + 10 }, (_, index): MediaEvent[] => [
      claimed(`i${index + 1}`),
      index === 0 ? ingested('i1') : overwritten(`i${index + 1}`, `i${index}`, elsewhere),
    ]).flat()
    const livesOf = (events: readonly MediaEvent[], ingestId: string): PastLife[] => {
      const [event] = media.decide(deletion(ingestId), fold(media, events))
      return event?.type === 'MediaDeleted' ? event.lives : []
    }
    const [life] = livesOf(many, `i${MOST_STAYS + 10}`)
    expect(life!.createdAt).toBe(2)
    expect(life!.stays).toHaveLength(MOST_STAYS)
    expect(life!.stays[0]).toEqual({ ...stay, placeId: null })

    const lives = Array.from({ length: MOST_STAYS }, (_, index) => ({
      createdAt: index,
      until: index + 1,
      stays: [{ ...stay, from: index }],
    }))
    const told = livesOf([deleted('i0', lives), ...stored], 'i1')
    expect(told).toHaveLength(MOST_STAYS + 1)
    expect(told.slice(0, 2)).toEqual([{ createdAt: null, until: 1, stays: [] }, lives[1]])
  })

  test('what is not there, not there yet or not there any more is refused', () => {
    const missing = { code: 'RESOURCE_NOT_FOUND' }
    given(media).when(deletion('i1')).thenFails(MediaNotFound, missing)
    given(media, claimed('i1')).when(deletion('i1')).thenFails(MediaNotFound, missing)
    given(media, ...stored, deleted('i1'))
      .when(deletion('i1'))
      .thenFails(MediaNotFound, missing)
  })

  test('leaves an open claim open', () => {
    given(media, ...stored, claimed('i2'), deleted('i1'))
      .when(claim('i3'))
      .thenFails(IngestInProgress, { jobId: 'job of i2' })
  })
})

describe('a stream that was erased starts at the deletion', () => {
  test('the same bytes may come back', () => {
    given(media, deleted('i1')).when(claim('i2')).then(claimed('i2'))
    given(media, deleted('i1')).when(deletion('i1')).thenFails(MediaNotFound)
  })

  test('but the ingest that was deleted may not', () => {
    given(media, deleted('i1')).when(claim('i1')).thenNothing()
    given(media, deleted('i1')).when(record('i1')).thenNothing()
  })
})
