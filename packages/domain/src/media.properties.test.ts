import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  ClaimLost,
  IngestInProgress,
  mediaDecider,
  type IngestRecord,
  type Media,
  type MediaCommand,
  type MediaEvent,
} from './media.ts'

const INGESTS = ['i1', 'i2', 'i3', 'i4'] as const
const media = mediaDecider((_, { collection }) => collection)
const RUNS = { numRuns: 500 }
const jobOf = (ingestId: string): string => `job of ${ingestId}`

const recordOf = (ingestId: string): IngestRecord => ({
  ingestId,
  jobId: jobOf(ingestId),
  mediaType: 'image',
  format: 'png',
  filename: 'cat.png',
  sizeBytes: 1,
  sha256: 'c0ffee',
  artifacts: {},
  vectorCount: { hd: 2, ld: 1 },
  embedder: 'e',
  enricher: 'n',
  durationMs: 1,
  at: 0,
})
const claimOf = (ingestId: string, overwrite: boolean, dead: string | null): MediaCommand => ({
  type: 'ClaimIngest',
  accountId: 'a',
  ingestId,
  jobId: jobOf(ingestId),
  batchId: null,
  sha256: 'c0ffee',
  overwrite,
  dead,
  at: 0,
})

const ingest = fc.constantFrom(...INGESTS)
const claim = fc
  .tuple(ingest, fc.boolean(), fc.option(ingest))
  .map(([ingestId, overwrite, dead]) => claimOf(ingestId, overwrite, dead))
const release = ingest.map((ingestId): MediaCommand => ({
  type: 'ReleaseIngest',
  ingestId,
  reason: 'timeout',
  at: 0,
}))
const record = fc.tuple(ingest, fc.boolean()).map(([ingestId, keepPlace]): MediaCommand => ({
  type: 'RecordIngest',
  place: { collection: 'default', generation: 0 },
  keepPlace,
  record: recordOf(ingestId),
}))
const reembedding = fc
  .tuple(ingest, fc.constantFrom('e', 'f', 'g'))
  .map(([ingestId, embedder]): MediaCommand => ({
    type: 'RecordEmbedding',
    record: { ingestId, embedder, artifacts: {}, at: 0 },
  }))
const deletion = ingest.map((ingestId): MediaCommand => ({
  type: 'DeleteMedia',
  cause: 'requested',
  reason: null,
  ingestId,
  at: 0,
}))
const commands = fc.array(fc.oneof(claim, claim, release, record, record, reembedding, deletion), {
  maxLength: 40,
})

function attempt(command: MediaCommand, state: Media): readonly MediaEvent[] | Error {
  try {
    return media.decide(command, state)
  } catch (error) {
    return error as Error
  }
}

/** Carries the commands out; `look` sees each command's outcome and the state after it. */
function carryOut(
  steps: MediaCommand[],
  look: (command: MediaCommand, outcome: readonly MediaEvent[] | Error, state: Media) => void,
): void {
  let state = media.initialState()
  for (const command of steps) {
    const outcome = attempt(command, state)
    if (!(outcome instanceof Error)) for (const event of outcome) state = media.evolve(state, event)
    look(command, outcome, state)
  }
}

function must(condition: boolean, rule: string): void {
  if (!condition) throw new Error(`the history breaks a rule: ${rule}`)
}

/** What may be true of an item's past, told without the decider: throws on a history that cannot be. */
class Story {
  claimed: string | null = null
  item: string | null = null
  embedder: string | null = null
  released = new Set<string>()
  recorded = new Set<string>()

  tell(event: MediaEvent): void {
    const { ingestId } = event
    switch (event.type) {
      case 'IngestClaimed':
        must(this.claimed === null, 'one claim at a time')
        must(!this.released.has(ingestId) && !this.recorded.has(ingestId), 'each ingest once')
        this.claimed = ingestId
        return
      case 'IngestReleased':
        must(this.claimed === ingestId, 'only the claim that is held is released')
        this.claimed = null
        this.released.add(ingestId)
        return
      case 'MediaIngested':
        must(this.item === null, 'never two live items')
        return this.#record(ingestId)
      case 'MediaOverwritten':
        must(this.item === event.previousIngestId, 'what is there is what is replaced')
        return this.#record(ingestId)
      case 'MediaReembedded':
        must(this.item === ingestId, 'only what is there is embedded again')
        must(this.embedder !== event.embedder, 'with another embedder')
        this.embedder = event.embedder
        return
      case 'MediaDeleted':
        must(this.item === ingestId, 'only what is there is deleted')
        this.item = null
    }
  }

  #record(ingestId: string): void {
    must(this.claimed === ingestId, 'recorded under its own claim')
    must(!this.released.has(ingestId), 'what was released never appears')
    must(!this.recorded.has(ingestId), 'recorded once')
    this.claimed = null
    this.recorded.add(ingestId)
    this.item = ingestId
    this.embedder = 'e'
  }
}

test('after commands in any order, the history of an item is one that can be', () => {
  fc.assert(
    fc.property(commands, (steps) => {
      const story = new Story()
      carryOut(steps, (_, outcome, state) => {
        if (!(outcome instanceof Error)) for (const event of outcome) story.tell(event)
        expect(state.claim?.ingestId ?? null).toBe(story.claimed)
        expect(state.item?.ingestId ?? null).toBe(story.item)
        if (state.item) expect(state.item.embedder).toBe(story.embedder)
      })
    }),
    RUNS,
  )
})

test('a command that was just carried out causes nothing when it is repeated', () => {
  fc.assert(
    fc.property(commands, (steps) =>
      carryOut(steps, (command, _, state) => {
        const repeated = attempt(command, state)
        expect(repeated instanceof Error ? [] : repeated).toStrictEqual([])
      }),
    ),
    RUNS,
  )
})

test('what was released can be neither claimed nor recorded afterwards', () => {
  const again: MediaCommand[] = [
    claimOf('i1', false, null),
    claimOf('i1', true, 'i1'),
    {
      type: 'RecordIngest',
      place: { collection: 'x', generation: 1 },
      keepPlace: false,
      record: recordOf('i1'),
    },
  ]
  fc.assert(
    fc.property(commands, (after) => {
      const release: MediaCommand = { type: 'ReleaseIngest', ingestId: 'i1', reason: 'timeout', at: 0 }
      let refusals: unknown[] = []
      carryOut([claimOf('i1', false, null), release, ...after], (_, __, state) => {
        refusals = again.map((command) => attempt(command, state))
      })
      expect(refusals.every((refusal) => refusal instanceof ClaimLost)).toBe(true)
    }),
    RUNS,
  )
})

test('of any number of claimers one wins, and the others learn who', () => {
  const claimers = fc.uniqueArray(fc.uuid(), { minLength: 1, maxLength: 20 })
  const before = fc.constantFrom<MediaCommand[]>(
    [],
    [claimOf('i1', false, null), { type: 'ReleaseIngest', ingestId: 'i1', reason: 'timeout', at: 0 }],
  )
  fc.assert(
    fc.property(before, claimers, fc.boolean(), fc.option(ingest), (history, ids, overwrite, dead) => {
      const claims = ids.map((ingestId) => claimOf(ingestId, overwrite, dead))
      const outcomes: (readonly MediaEvent[] | Error)[] = []
      carryOut([...history, ...claims], (_, outcome) => outcomes.push(outcome))
      const [won, ...lost] = outcomes.slice(history.length)
      expect(won).toMatchObject([{ type: 'IngestClaimed', ingestId: ids[0] }])
      for (const loser of lost) {
        expect(loser).toBeInstanceOf(IngestInProgress)
        expect(loser).toMatchObject({ jobId: jobOf(ids[0]!) })
      }
    }),
    RUNS,
  )
})
