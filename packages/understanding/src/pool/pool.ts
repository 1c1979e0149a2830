import { EngineUnavailable } from '@medialog/application/ports'
import type { SourceFile, WorkOptions } from '@medialog/application/ports/understanding'
import type { Profile } from '../formats.ts'
import { formatRow } from '../formats.ts'
import type { TrainedData } from '../ocr/trained-data.ts'
import { FairTurns } from '@medialog/kernel'
import { ChildDied, ExtractorChild, type ChildOptions } from './extractor-child.ts'
import type { Extracted } from './protocol.ts'

export interface PoolOptions {
  /** Files of one account read at a time. Default 2. Of all accounts one more, besides those that have taken long. */
  concurrency?: number
  /**
   * Milliseconds after which a file has taken long: it makes room for another. After twice as many of processor time it has
   * less of that, too. Default 1000.
   */
  longMs?: number
  /** Files that have taken long and are read at a time. Default 4. */
  long?: number
  /** Files that may wait for their turn; more are refused as unavailable. Default 256. */
  queue?: number
  /** Those of one account among them. Default 128. */
  queueOfOne?: number
  /** Milliseconds of processor time a file may take, and thrice as many in all, once it is its turn. Default 30 000. */
  deadlineMs?: number
  /** Milliseconds of processor time after which a child is not used again; the kernel kills it after thrice that. Default `deadlineMs`. */
  cpuMs?: number
  /** By which words in pictures are read (OCR). Default none: they are not. */
  trained?: readonly TrainedData[]
  /** Milliseconds that this may take besides, for all pictures of a file. Default 60 000. */
  recognitionMs?: number
  /** JavaScript heap of a child in MB. Default 512. */
  heapMb?: number
  /** Resident memory of a child in MB. Default 1024. */
  rssMb?: number
  /** A child is replaced after so many files. Default 100. */
  filesPerChild?: number
  /** A child that stays larger than this after its work (MB) is replaced. Default 300: one that read print stays at 240. */
  keptRssMb?: number
  /** Children kept waiting besides the spare one are ended after so long without work. Default 30 000. */
  idleMs?: number
  /** No file is read where the kernel does not confine children. Default false: as far as it can. */
  confined?: boolean
  /** The module that children run. */
  entry?: URL
}

const DEFAULTS = {
  concurrency: 2,
  longMs: 1_000,
  long: 4,
  queue: 256,
  queueOfOne: 128,
  deadlineMs: 30_000,
  trained: [],
  recognitionMs: 60_000,
  heapMb: 512,
  rssMb: 1024,
  filesPerChild: 100,
  keptRssMb: 300,
  idleMs: 30_000,
  confined: false,
  entry: new URL('./child.ts', import.meta.url),
}

/** A child whose priority was lowered is not used again: another one has to load its libraries, which sooner is not worth it. */
const VERY_LONG = 2
/** After this part of its files the next child is started. */
const NEARLY_SERVED = 0.9

export interface ExtractOptions extends WorkOptions {
  /** Whether a small copy of a picture is wanted. */
  withPicture?: boolean
  /** Whether a preview of an image is wanted, to be kept. */
  withPreview?: boolean
  /** Whether the sound of a recording or film is wanted, to be listened to for speech. */
  withSpeech?: boolean
}

/**
 * Runs extractors in child processes: those at work, and one spare `script` child started ahead. Children are used
 * again and replaced when they died, grew or served their number of files. Accounts take turns, and a file that takes long
 * keeps no other account waiting.
 */
export class ExtractorPool {
  readonly #options: Required<PoolOptions>
  readonly #child: ChildOptions
  readonly #idle: { child: ExtractorChild; timer?: NodeJS.Timeout }[] = []
  readonly #all = new Set<ExtractorChild>()
  readonly #turns: FairTurns
  /** Files at work that have taken long. */
  readonly #long = new Set<ExtractorChild>()
  #closed = false

  constructor(options: PoolOptions = {}) {
    this.#options = { ...DEFAULTS, cpuMs: options.deadlineMs ?? DEFAULTS.deadlineMs, ...options }
    const { entry, confined, deadlineMs, cpuMs, trained, heapMb, rssMb } = this.#options
    const recognitionMs = trained.length > 0 ? this.#options.recognitionMs : 0
    // Helper threads of V8 count too, and a warm child serves several files: see #isWorn.
    const cpuSeconds = Math.ceil((3 * (cpuMs + recognitionMs)) / 1000)
    // The rest is for the file's own text.
    const lookingMs = deadlineMs / 2
    this.#child = {
      entry,
      confined,
      deadlineMs,
      trained,
      recognitionMs,
      lookingMs,
      heapMb,
      rssMb,
      cpuSeconds,
    }
    const { concurrency, long } = this.#options
    this.#turns = new FairTurns({
      places: () => (this.#closed ? Infinity : concurrency + 1 + Math.min(this.#long.size, long)),
      mostOfOne: concurrency,
    })
    this.#keepSpare()
  }

  /** Process ids of all children, at work or waiting. */
  get pids(): number[] {
    return [...this.#all].flatMap((child) => child.pid ?? [])
  }

  /**
   * Reads a file in a child process.
   * @throws UnreadableFile
   * @throws EngineUnavailable when too many files wait, or no child can be started
   * @throws the signal's reason; the child at work on the file is killed
   */
  async extract(file: SourceFile, options: ExtractOptions = {}): Promise<Extracted> {
    const { accountId = '', signal, isBackground } = options
    const { queue, queueOfOne } = this.#options
    signal?.throwIfAborted()
    if (this.#closed) throw unavailable('the extractors are shut down')
    if (this.#turns.waiting >= queue || this.#turns.waitingOf(accountId) >= queueOfOne)
      throw unavailable('too many files wait to be read')
    const end = await this.#turns.take(accountId, { signal, isBackground })
    try {
      return await this.#read(file, options)
    } finally {
      end()
    }
  }

  /** A file that a child did not survive is read once more, by one that has read nothing else. */
  async #read(file: SourceFile, options: ExtractOptions): Promise<Extracted> {
    try {
      return await this.#run(file, options)
    } catch (error) {
      if (!(error instanceof ChildDied)) throw error
    }
    try {
      return await this.#run(file, options, { fresh: true })
    } catch (error) {
      throw error instanceof ChildDied ? error.verdict : error
    }
  }

  /** Ends all children; files at work fail as unavailable. */
  async close(): Promise<void> {
    this.#closed = true
    this.#turns.look()
    for (const child of this.#all) child.kill()
    await Promise.all([...this.#all].map(({ exited }) => exited))
  }

  async #run(
    { path, filename, size, format }: SourceFile,
    {
      accountId = '',
      signal,
      isBackground = false,
      withPicture = false,
      withPreview = false,
      withSpeech = false,
    }: ExtractOptions,
    { fresh = false } = {},
  ): Promise<Extracted> {
    if (this.#closed) throw unavailable('the extractors are shutting down')
    const child = this.#take(formatRow(format.name).profile, accountId, { fresh, isBackground })
    const { longMs } = this.#options
    const long = setTimeout(() => this.#takesLong(child), longMs)
    const keepPriority = child.lowerPriorityAfter(VERY_LONG * longMs)
    try {
      return await child.extract(
        path,
        { format, filename, size, withPicture, withPreview, withSpeech },
        signal,
      )
    } catch (error) {
      if (this.#closed) throw unavailable('the extractors are shutting down')
      throw error
    } finally {
      clearTimeout(long)
      keepPriority()
      this.#long.delete(child)
      this.#giveBack(child, isBackground)
    }
  }

  #takesLong(child: ExtractorChild): void {
    this.#long.add(child)
    this.#turns.look()
  }

  /**
   * One with native code, which a file might take over, reads for one account alone. One of low priority reads for the
   * background alone, and no other does.
   */
  #take(
    profile: Profile,
    accountId: string,
    { fresh, isBackground }: { fresh: boolean; isBackground: boolean },
  ): ExtractorChild {
    const owner = profile === 'native' ? accountId : null
    const isFit = ({ child }: { child: ExtractorChild }): boolean =>
      child.profile === profile &&
      child.accountId === owner &&
      child.hasLowPriority === isBackground &&
      child.alive &&
      (!fresh || child.files === 0)
    // The one that has read the most: another one may be starting still.
    const [taken] = this.#idle.filter(isFit).sort((one, other) => other.child.files - one.child.files)
    if (taken) {
      this.#idle.splice(this.#idle.indexOf(taken), 1)
      clearTimeout(taken.timer)
      return taken.child
    }
    const started = this.#start(profile, owner)
    if (isBackground) started.lowerPriority()
    return started
  }

  #giveBack(child: ExtractorChild, isBackground: boolean): void {
    const { alive, hasLowPriority } = child
    if (this.#closed || !alive || hasLowPriority !== isBackground || this.#isWorn(child)) child.kill()
    else {
      const timer = setTimeout(() => this.#retire(child), this.#options.idleMs)
      this.#idle.push({ child, timer: timer.unref() })
      this.#boundNative()
    }
    this.#keepSpare()
  }

  /** Of native children, at most as many wait as work at a time, whosever they are: each keeps its libraries in memory. */
  #boundNative(): void {
    const waiting = this.#idle.filter(({ child }) => child.accountId !== null)
    if (waiting.length > this.#options.concurrency) this.#retire(waiting[0]!.child)
  }

  #isWorn({ files, usage }: ExtractorChild): boolean {
    const { filesPerChild, keptRssMb, cpuMs } = this.#options
    return files >= filesPerChild || usage.rss > keptRssMb * 1e6 || usage.cpu > cpuMs / 1000
  }

  #retire(child: ExtractorChild): void {
    const index = this.#idle.findIndex((idle) => idle.child === child)
    if (index < 0) return
    this.#idle.splice(index, 1)
    child.kill()
    this.#keepSpare()
  }

  /** A file that a client waits for should find a process that has already started, also when one has nearly served. */
  #keepSpare(): void {
    const enough = NEARLY_SERVED * this.#options.filesPerChild
    const isSpare = ({ child }: { child: ExtractorChild }): boolean =>
      child.profile === 'script' && !child.hasLowPriority && child.alive && child.files < enough
    if (this.#closed || this.#idle.some(isSpare)) return
    this.#idle.push({ child: this.#start('script') })
  }

  #start(profile: Profile, accountId: string | null = null): ExtractorChild {
    const child = new ExtractorChild(profile, accountId, this.#child)
    this.#all.add(child)
    void this.#forget(child)
    return child
  }

  async #forget(child: ExtractorChild): Promise<void> {
    await child.exited
    this.#all.delete(child)
    const index = this.#idle.findIndex((idle) => idle.child === child)
    if (index >= 0) this.#idle.splice(index, 1)
  }
}

const unavailable = (why: string): EngineUnavailable => new EngineUnavailable('extractors', why)
