import { createHash } from 'node:crypto'
import { createStreams, encodeReembedded, encodeUnderstood, isOfVectors, SYSTEM } from '@medialog/application'
import type { ArtifactStore, EventStore, Format, Understood } from '@medialog/application/ports'
import { placeIn, type DeletionCause, type IngestRecord, type Place } from '@medialog/domain'
import { usd, type LogPosition, type Uuid } from '@medialog/kernel'

const DIMENSIONS = 8
const SHORT = 4

/** A UUID that the words decide. */
export const idOf = (...words: (string | number)[]): Uuid => {
  const hex = createHash('sha256').update(words.join('/')).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** Vectors that the text decides, unit length. */
function vectorOf(text: string, dimensions: number): Float32Array {
  const digest = createHash('sha256').update(text).digest()
  const raw = Float32Array.from({ length: dimensions }, (_, index) => digest[index]! - 127.5)
  const length = Math.hypot(...raw)
  return raw.map((value) => value / length)
}

/** What every file is in tests that read files as their own text. */
export const TEXT_FORMAT: Format = {
  name: 'txt',
  mediaType: 'document',
  mimeType: 'text/plain',
  extensions: ['txt'],
  maxBytes: 1e6,
}

export function understoodOf(text: string): Understood {
  const chunks = [`head of ${text}`, ...text.split('\n\n')].map((part) => ({
    text: part,
    start: 0,
    end: part.length,
  }))
  return {
    extraction: {
      format: 'txt',
      mediaType: 'document',
      text,
      title: null,
      author: null,
      language: 'en',
      sections: [],
      tables: [],
      figureCount: 0,
      facts: { mediaType: 'document', pageCount: null, wordCount: text.split(/\s+/).length },
      truncated: false,
      warnings: [],
    },
    enrichment: {
      summary: text.slice(0, 40),
      description: 'A text.',
      topics: ['testing'],
      keywords: text.split(/\s+/).slice(0, 3),
      categories: [],
      emotions: [],
      entities: { people: [], organizations: [], locations: [], objects: [], concepts: [] },
      quality: { clarity: 1, completeness: 1, relevance: 1, technical: 0 },
      model: 'test-1',
    },
    chunks,
    vectors: {
      model: 'test-embedder',
      dimensions: DIMENSIONS,
      combined: vectorOf(text, DIMENSIONS),
      short: vectorOf(text, SHORT),
      chunks: chunks.map((chunk) => vectorOf(chunk.text, DIMENSIONS)),
    },
  }
}

/**
 * A service's past, made by the deciders themselves: what the saga, the eraser and the operator append, without the
 * work in between. Time goes on by a minute with every command.
 */
export function createHistory(store: EventStore, artifacts: ArtifactStore) {
  let now = Date.parse('2026-11-20T10:00:00Z')
  const clock = { now: () => (now += 60_000) }
  const streams = createStreams(store, clock)
  const origin = SYSTEM

  async function open(accountId: Uuid, credit = '100'): Promise<LogPosition> {
    const at = clock.now()
    await streams.execute(
      'account',
      accountId,
      { type: 'OpenAccount', accountId, name: `account ${accountId.slice(0, 4)}`, tier: 'standard', at },
      origin,
    )
    const command = { type: 'Credit', creditId: idOf(accountId, 'opening'), amount: usd(credit) } as const
    const { position } = await streams.execute(
      'ledger',
      accountId,
      { ...command, reference: 'opening', at },
      origin,
    )
    return position
  }

  /** Claims, charges and stores; answers what is left to do: record and settle. */
  async function begin(
    accountId: Uuid,
    name: string,
    text: string,
    { overwrite = false, isDead = false }: { overwrite?: boolean; isDead?: boolean } = {},
  ) {
    const mediaId = idOf(accountId, name)
    const ingestId = idOf(accountId, name, text, clock.now())
    const at = clock.now()
    const sha256 = createHash('sha256').update(name).digest('hex')
    const there = () => streams.load('media', mediaId, ({ item }) => item?.ingestId ?? null)
    const dead = isDead ? (await there()).selected : null
    const claim = { accountId, ingestId, jobId: ingestId, batchId: null, sha256, overwrite, dead, at }
    await streams.execute('media', mediaId, { type: 'ClaimIngest', ...claim }, origin)
    const lines = [
      { price: 'DOCUMENT_PROCESSING', amount: usd('0.03') },
      { price: 'VECTOR_PROCESSING', amount: usd('0.01') },
    ]
    const cause = { operation: 'upload', jobId: ingestId, mediaId }
    const charge = { type: 'Charge', chargeId: ingestId, lines, cause, at } as const
    await streams.execute('ledger', accountId, charge, origin)
    const understood = understoodOf(text)
    const receipts: IngestRecord['artifacts'] = {}
    for (const file of encodeUnderstood(understood))
      receipts[file.name] = await artifacts.put({ accountId, mediaId, ingestId }, file.name, file.bytes)
    const record: IngestRecord = {
      ingestId,
      jobId: ingestId,
      mediaType: 'document',
      format: 'txt',
      filename: name,
      sizeBytes: text.length,
      sha256,
      artifacts: receipts,
      vectorCount: { hd: 1 + understood.chunks.length, ld: 1 },
      embedder: 'test-embedder',
      enricher: 'test-1',
      durationMs: 5,
      at,
    }
    return { accountId, mediaId, ingestId, record }
  }

  const placeOf = async (accountId: Uuid, collection: string): Promise<Place> =>
    (await streams.load('library', accountId, (library) => placeIn(library, collection))).selected

  async function finish(
    { accountId, mediaId, ingestId, record }: Awaited<ReturnType<typeof begin>>,
    collection: string,
    keepPlace: boolean,
  ): Promise<LogPosition> {
    const place = await placeOf(accountId, collection)
    await streams.execute('media', mediaId, { type: 'RecordIngest', place, keepPlace, record }, origin)
    const settle = { type: 'Settle', chargeId: ingestId, at: clock.now() } as const
    return (await streams.execute('ledger', accountId, settle, origin)).position
  }

  return {
    streams,
    clock,
    open,
    begin,

    /** `isDead`: where it is there, its collection was deleted. */
    async upload(accountId: Uuid, name: string, text: string, collection = 'default', isDead = false) {
      const begun = await begin(accountId, name, text, { isDead })
      return { ...begun, position: await finish(begun, collection, false) }
    },

    /** Without `collection` it stays where it is. */
    async overwrite(accountId: Uuid, name: string, text: string, collection?: string) {
      const begun = await begin(accountId, name, text, { overwrite: true })
      const position = await finish(begun, collection ?? 'default', collection === undefined)
      return { ...begun, position }
    },

    /** An upload that failed: released, then refunded. */
    async fail(accountId: Uuid, name: string, text: string): Promise<LogPosition> {
      const { mediaId, ingestId } = await begin(accountId, name, text)
      const reason = 'the file is broken'
      const release = { type: 'ReleaseIngest', ingestId, reason, at: clock.now() } as const
      await streams.execute('media', mediaId, release, origin)
      const refund = { type: 'RefundRest', refundId: `refund-${ingestId}`, chargeId: ingestId } as const
      const command = { ...refund, reason, at: clock.now() }
      return (await streams.execute('ledger', accountId, command, origin)).position
    },

    /** The same text as another embedder has it, recorded beside the vectors that were. */
    async reembed(accountId: Uuid, mediaId: Uuid, ingestId: Uuid, text: string, model: string) {
      const { vectors } = understoodOf(text)
      const { name, bytes } = encodeReembedded({ ...vectors, model })
      const { selected: before } = await streams.load('media', mediaId, ({ item }) => item!.artifacts)
      const receipt = await artifacts.put({ accountId, mediaId, ingestId }, name, bytes)
      const others = Object.entries(before).filter(([other]) => !isOfVectors(other))
      const record = {
        ingestId,
        embedder: model,
        artifacts: { ...Object.fromEntries(others), [name]: receipt },
        at: clock.now(),
      }
      await streams.execute('media', mediaId, { type: 'RecordEmbedding', record }, origin)
    },

    async remove(
      accountId: Uuid,
      mediaId: Uuid,
      ingestId: Uuid,
      cause: DeletionCause = 'requested',
    ): Promise<LogPosition> {
      const command = { type: 'DeleteMedia', cause, reason: null, ingestId } as const
      return (await streams.execute('media', mediaId, { ...command, at: clock.now() }, origin)).position
    },

    /** A batch of two files that was paid for: one was there already, the other failed and was refunded. */
    async batch(accountId: Uuid, name: string): Promise<LogPosition> {
      const batchId = idOf(accountId, 'batch', name)
      const at = clock.now()
      const price = [{ price: 'DOCUMENT_PROCESSING', amount: usd('0.03') }]
      const job = (number: number) => ({
        jobId: idOf(batchId, number),
        mediaId: idOf(accountId, name, number),
        stagedId: idOf(batchId, 'staged', number),
        filename: `${name}-${number}.txt`,
        mediaType: 'document' as const,
        sizeBytes: 5,
        sha256: createHash('sha256').update(name).digest('hex'),
        duplicate: number === 0,
      })
      const jobs = [job(0), job(1)]
      const asked = { accountId, batchId, name, collection: null, overwrite: false, price, jobs, at }
      await streams.execute('batch', batchId, { type: 'SubmitBatch', ...asked }, origin)
      const cause = { operation: 'batch', batchId }
      const charge = { type: 'Charge', chargeId: batchId, lines: price, cause, at } as const
      await streams.execute('ledger', accountId, charge, origin)
      const failed = { status: 'failed', code: 'corrupted_file', message: 'The file is damaged.' } as const
      for (const command of [
        { type: 'CreateBatch', at },
        { type: 'StartBatch', at },
        { type: 'FinishJob', jobId: jobs[1]!.jobId, outcome: failed, at },
      ] as const)
        await streams.execute('batch', batchId, command, origin)
      const refund = { type: 'Refund', refundId: jobs[1]!.jobId, chargeId: batchId, lines: price } as const
      await streams.execute('ledger', accountId, { ...refund, reason: 'failed', at }, origin)
      return (await streams.execute('batch', batchId, { type: 'EndBatch', at }, origin)).position
    },

    /** What the eraser does after a deletion. */
    async erase(accountId: Uuid, mediaId: Uuid, ingestId: Uuid): Promise<void> {
      const { revision } = await streams.load('media', mediaId, () => undefined)
      await streams.truncate('media', mediaId, revision!)
      await artifacts.deleteIngest({ accountId, mediaId, ingestId })
    },

    async move(accountId: Uuid, mediaIds: Uuid[], collection: string): Promise<LogPosition> {
      const command = { type: 'MoveItems', accountId, collection, mediaIds, at: clock.now() } as const
      return (await streams.execute('library', accountId, command, origin)).position
    },

    async endCollection(accountId: Uuid, collection: string): Promise<LogPosition> {
      const place = await placeOf(accountId, collection)
      const command = { type: 'DeleteCollection', accountId, place, at: clock.now() } as const
      return (await streams.execute('library', accountId, command, origin)).position
    },
  }
}
