import { MedialogError, Refused, type Client, type JobResult } from '@medialog/client'
import { Store } from '../data/store.ts'
import { t } from '../texts/texts.ts'

/** How far a file is that was dropped. */
export type Step =
  | { at: 'waiting' }
  /** `share` of its bytes has left. */
  | { at: 'sending'; share: number }
  /** `percent`: how much of it was worked on, where that takes long, as with a recording. */
  | { at: 'reading'; percent?: number | undefined }
  | { at: 'stored' | 'known'; mediaId: string | null }
  | { at: 'failed'; reason: string }
  | { at: 'cancelled' }

export interface Upload {
  id: number
  file: File
  step: Step
  /** The batch that it is in, once there is one. */
  batchId: string | null
}

/** More files than this are sent in batches, which the service processes in the background. */
const MOST_ALONE = 10
/** What a batch may have. */
const BATCH_FILES = 25
const BATCH_BYTES = 100_000_000
const AT_ONCE = 2
/** About three minutes. Not without end: a file that is changed while it is being sent fails as a broken connection does. */
const ATTEMPTS = 12
/** Between two looks at batches. */
const LOOK_MS = 500

export const hasEnded = ({ step: { at } }: Upload): boolean =>
  at !== 'waiting' && at !== 'sending' && at !== 'reading'

/**
 * The files that were dropped since the page was opened, and their way into the library. While the service is unavailable, a
 * file is sent again under one Idempotency-Key, so it is stored and paid once.
 */
export class Uploads {
  readonly list = new Store<readonly Upload[]>([])
  readonly #client: Client
  readonly #signal: AbortSignal
  #lastId = 0
  /** Groups that wait to be sent, one request each. */
  readonly #queue: (() => Promise<void>)[] = []
  #running = 0
  /** Batches that are under way. */
  readonly #batches = new Map<string, UnderWay>()
  #isFollowing = false

  constructor(client: Client, signal: AbortSignal) {
    this.#client = client
    this.#signal = signal
  }

  add(files: readonly File[], collection: string | null): void {
    const added = files.map((file): Upload => ({
      id: ++this.#lastId,
      file,
      step: { at: 'waiting' },
      batchId: null,
    }))
    this.list.set([...this.list.get(), ...added])
    if (added.length <= MOST_ALONE)
      for (const upload of added) this.#enqueue(() => this.#sendAlone(upload, collection))
    else for (const group of groupsOf(added)) this.#enqueue(() => this.#sendBatch(group, collection))
  }

  /** Takes what has ended off the list. */
  clear(): void {
    this.list.set(this.list.get().filter((upload) => !hasEnded(upload)))
  }

  #enqueue(send: () => Promise<void>): void {
    this.#queue.push(send)
    void this.#run()
  }

  async #run(): Promise<void> {
    if (this.#running >= AT_ONCE) return
    this.#running++
    for (let send = this.#queue.shift(); send && !this.#signal.aborted; send = this.#queue.shift())
      await send()
    this.#running--
  }

  #change(ids: ReadonlySet<number>, change: (upload: Upload) => Partial<Upload>): void {
    this.list.set(
      this.list.get().map((upload) => (ids.has(upload.id) ? { ...upload, ...change(upload) } : upload)),
    )
  }

  #set(upload: Upload, step: Step): void {
    this.#change(new Set([upload.id]), () => ({ step }))
  }

  async #sendAlone(upload: Upload, collection: string | null): Promise<void> {
    const { file } = upload
    if ((await this.#readable([upload])).length === 0) return
    this.#set(upload, { at: 'sending', share: 0 })
    try {
      const { media_id } = await this.#client.uploadMedia(
        { file, ...(collection !== null && { collection_id: collection }) },
        {
          signal: this.#signal,
          attempts: ATTEMPTS,
          onProgress: ({ sent }) =>
            this.#set(
              upload,
              sent < file.size ? { at: 'sending', share: sent / file.size } : { at: 'reading' },
            ),
        },
      )
      this.#set(upload, { at: 'stored', mediaId: media_id })
    } catch (error) {
      this.#set(upload, endOf(error))
    }
  }

  async #sendBatch(files: readonly Upload[], collection: string | null): Promise<void> {
    const group = await this.#readable(files)
    if (group.length === 0) return
    const ids = new Set(group.map(({ id }) => id))
    this.#change(ids, () => ({ step: { at: 'sending', share: 0 } }))
    try {
      const { batch_id } = await this.#client.createBatch(
        { file: group.map(({ file }) => file), ...(collection !== null && { collection_id: collection }) },
        {
          signal: this.#signal,
          attempts: ATTEMPTS,
          onProgress: ({ sent }) => this.#showSent(group, sent),
        },
      )
      this.#change(ids, () => ({ step: { at: 'reading' }, batchId: batch_id }))
      // The next group is sent meanwhile.
      this.#batches.set(batch_id, { group, shown: 0 })
      void this.#followBatches()
    } catch (error) {
      const bad = filesIn(error)
      if (bad.size === 0) return this.#change(ids, () => ({ step: endOf(error) }))
      // The whole batch was refused: the others are sent again without those files.
      for (const [index, reason] of bad) this.#set(group[index]!, { at: 'failed', reason })
      await this.#sendBatch(
        group.filter((_, index) => !bad.has(index)),
        collection,
      )
    }
  }

  /** Those of which the files can be read; one that was changed or removed after it was dropped cannot. */
  async #readable(uploads: readonly Upload[]): Promise<readonly Upload[]> {
    const readable: Upload[] = []
    for (const upload of uploads)
      try {
        await upload.file.slice(0, 1).arrayBuffer()
        readable.push(upload)
      } catch {
        this.#set(upload, { at: 'failed', reason: t.uploads.changed })
      }
    return readable
  }

  /** Files are sent one after another. */
  #showSent(group: readonly Upload[], sent: number): void {
    let before = 0
    const steps = new Map<number, Step>()
    for (const { id, file } of group) {
      const share = file.size === 0 ? 1 : Math.max(0, Math.min(1, (sent - before) / file.size))
      steps.set(id, share < 1 ? { at: 'sending', share } : { at: 'reading' })
      before += file.size
    }
    this.#change(new Set(steps.keys()), ({ id }) => ({ step: steps.get(id)! }))
  }

  /** Looks at the batches in turn until all have ended: however many there are, they share the account's rate limit. */
  async #followBatches(): Promise<void> {
    if (this.#isFollowing) return
    this.#isFollowing = true
    while (this.#batches.size > 0 && !this.#signal.aborted)
      for (const [batchId, batch] of this.#batches) {
        if (await this.#lookAt(batchId, batch)) this.#batches.delete(batchId)
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
      }
    this.#isFollowing = false
  }

  /** Shows how far the files of a batch are; answers whether all have ended. Reads results only where there are more. */
  async #lookAt(batchId: string, batch: UnderWay): Promise<boolean> {
    const ids = new Set(batch.group.map(({ id }) => id))
    const asLongAsItTakes = { signal: this.#signal, attempts: Infinity }
    try {
      const { status, progress, total_items, processing_jobs } = await this.#client.readBatch(
        { batch_id: batchId },
        asLongAsItTakes,
      )
      if (progress.successful + progress.skipped + progress.failed > batch.shown) {
        const { job_results } = await this.#client.readBatchResults(
          { batch_id: batchId, page_size: 100 },
          asLongAsItTakes,
        )
        this.#showResults(batch.group, job_results)
        batch.shown = job_results.length
      }
      const percents = new Map(processing_jobs?.map(({ filename, percent }) => [filename, percent]))
      this.#change(ids, (upload) =>
        hasEnded(upload) ? {} : { step: { at: 'reading', percent: percents.get(upload.file.name) } },
      )
      return !UNDER_WAY.has(status) && batch.shown >= total_items
    } catch (error) {
      this.#change(ids, (upload) => (hasEnded(upload) ? {} : { step: endOf(error) }))
      return true
    }
  }

  #showResults(group: readonly Upload[], results: readonly JobResult[]): void {
    const open = new Set(group)
    const steps = new Map<number, Step>()
    // In the order in which they were sent: of two files with one name, the first result is the first one's. Those that have
    // none any more, since their items were deleted, come last.
    for (const result of results.toSorted((a, b) => Number(!a.filename) - Number(!b.filename))) {
      const upload = [...open].find(
        ({ file }) => result.filename === undefined || file.name === result.filename,
      )
      if (!upload) continue
      open.delete(upload)
      steps.set(upload.id, stepOf(result))
    }
    this.#change(new Set(steps.keys()), ({ id }) => ({ step: steps.get(id)! }))
  }
}

/** A batch with its files, and how many results were shown. */
interface UnderWay {
  group: readonly Upload[]
  shown: number
}

const UNDER_WAY: ReadonlySet<string> = new Set(['created', 'running'])

function stepOf({ status, media_id, error }: JobResult): Step {
  if (status === 'failed')
    return error?.code === 'cancelled' ? { at: 'cancelled' } : { at: 'failed', reason: error?.message ?? '' }
  return { at: status === 'processed' ? 'known' : 'stored', mediaId: media_id }
}

function endOf(error: unknown): Step {
  if (error instanceof Refused && error.code === 'DUPLICATE_FILE') {
    const { media_id: known } = error.details
    return { at: 'known', mediaId: typeof known === 'string' ? known : null }
  }
  if (error instanceof MedialogError) return { at: 'failed', reason: error.message }
  return { at: 'cancelled' }
}

/** Which files a batch was refused for, and why. */
function filesIn(error: unknown): Map<number, string> {
  const files =
    error instanceof Refused && error.code.toLowerCase() === 'invalid_media' ? error.details['files'] : []
  return new Map((files as { index: number; reason: string }[]).map(({ index, reason }) => [index, reason]))
}

function groupsOf(uploads: readonly Upload[]): Upload[][] {
  const groups: Upload[][] = []
  let bytes = Infinity
  for (const upload of uploads) {
    const last = groups.at(-1)
    bytes += upload.file.size
    if (last && last.length < BATCH_FILES && bytes <= BATCH_BYTES) last.push(upload)
    else {
      groups.push([upload])
      bytes = upload.file.size
    }
  }
  return groups
}
