import { spawn, type ChildProcess } from 'node:child_process'
import { closeSync, createReadStream, openSync, readFileSync, readSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'
import type { Readable } from 'node:stream'
import { EngineUnavailable } from '@medialog/application/ports'
import { UnreadableFile } from '@medialog/application/ports/understanding'
import type { Profile } from '../formats.ts'
import { childCommand, childEnvironment, type ChildLimits } from './command.ts'
import type { Extracted, Outcome, Reply, Request, Usage } from './protocol.ts'
import { REPLIES } from './channel.ts'
import { readOutcome } from './replies.ts'
import { BadFrame, ReplyReader } from './wire.ts'

export interface ChildOptions extends ChildLimits {
  entry: URL
  /**
   * Milliseconds of processor time a file may take, besides `recognitionMs` where words are read from pictures; and thrice as
   * many in all.
   */
  deadlineMs: number
  /** Resident MB; above it the child is killed. Looked after where the system tells (Linux). */
  rssMb: number
}

/** Less than this process has: about a third of the processor time then. */
const LESS_PRIORITY = 5
const LEAST_PRIORITY = 19
/** A file may take so many times longer where others keep its child from working. */
const WAITING = 3
const RSS_INTERVAL_MS = 50
const STDERR_KEPT = 4096

/** Signals that come from outside: from a kernel without memory, or from a person. */
const FROM_OUTSIDE = new Set<NodeJS.Signals | null>(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'])

/** A child process ended while it read a file. The file may not be the reason. */
export class ChildDied extends Error {
  /** The error to report if a second child ends the same way. */
  readonly verdict: UnreadableFile | EngineUnavailable

  constructor(verdict: ChildDied['verdict']) {
    super(verdict.message)
    this.verdict = verdict
  }
}

/** One child process as its parent sees it. It reads one file at a time and is killed to be stopped. */
export class ExtractorChild {
  readonly profile: Profile
  /** Whose files alone it reads; null: anybody's. */
  readonly accountId: string | null
  files = 0
  hasLowPriority = false
  usage: Usage = { rss: 0, cpu: 0 }
  /** Settles when the process is gone. */
  readonly exited: Promise<void>
  readonly #process: ChildProcess
  readonly #options: ChildOptions
  #ready = false
  readonly #replies = new ReplyReader()
  #onRecognizing: (() => void) | null = null
  /** The request that waits for its reply. */
  #waiting: { hear: (message: unknown) => void; fail: (error: Error) => void } | null = null
  #stderr = ''
  /** Resident bytes when it was last looked. */
  #resident = 0
  #killedFor: Error | null = null

  constructor(profile: Profile, accountId: string | null, options: ChildOptions) {
    this.profile = profile
    this.accountId = accountId
    this.#options = options
    const { file, args } = childCommand(options.entry, profile, options)
    this.#process = spawn(file, args, {
      env: childEnvironment(),
      stdio: ['pipe', 'ignore', 'pipe', 'pipe'],
    })
    this.#process.stdin!.on('error', () => {}) // a dead child is noticed by its exit
    this.#process.on('error', () => {})
    this.#process.stderr!.on('data', (piece: Buffer) => {
      this.#stderr = (this.#stderr + piece.toString('latin1')).slice(-STDERR_KEPT)
    })
    const replies = this.#process.stdio[REPLIES] as Readable | undefined
    replies?.on('error', () => {})
    replies?.on('data', (piece: Buffer) => this.#take(piece))
    this.exited = new Promise((resolve) => {
      this.#process.once('close', () => resolve())
      this.#process.once('error', () => resolve())
    })
    // Once for all requests: a promise keeps whatever waits for it, and with it each request's reply.
    void this.exited.then(() => this.#waiting?.fail(this.#killedFor ?? this.#causeOfDeath()))
  }

  get pid(): number | undefined {
    return this.#process.pid
  }

  get alive(): boolean {
    return (
      this.#process.pid !== undefined &&
      this.#process.exitCode === null &&
      this.#process.signalCode === null &&
      !this.#process.killed
    )
  }

  /**
   * Reads one file, `size` bytes of it.
   * @throws UnreadableFile what the child found, or `timeout` and `memory` when it went beyond its limits
   * @throws ChildDied when it did not survive the file
   * @throws EngineUnavailable when the child never came up
   * @throws the signal's reason when aborted; the child is dead by then
   */
  async extract(path: string, request: Request, signal?: AbortSignal): Promise<Extracted> {
    signal?.throwIfAborted()
    const onAbort = (): void => this.#kill(signal!.reason as Error)
    signal?.addEventListener('abort', onAbort)
    const stopTimer = this.#limitTime()
    const stopWatching = this.#watchMemory()
    const input = createReadStream(path, { end: Math.max(0, request.size - 1) })
    try {
      const reply = this.#reply(request)
      input.on('error', (error) => this.#kill(error))
      this.#process.stdin!.write(framed(request))
      input.pipe(this.#process.stdin!, { end: false })
      return this.#outcome(await reply)
    } finally {
      signal?.removeEventListener('abort', onAbort)
      stopTimer()
      stopWatching()
      input.destroy()
      this.files++
    }
  }

  /** What waits for the processor, beside other work, is not refused for it. */
  #limitTime(): () => void {
    let allowed = this.#options.deadlineMs
    this.#onRecognizing = () => {
      allowed = this.#options.deadlineMs + this.#options.recognitionMs
    }
    const stop = afterWork(this.pid, () => this.#kill(this.#tooSlow(allowed)), {
      milliseconds: () => allowed,
      waiting: WAITING,
    })
    return () => {
      this.#onRecognizing = null
      stop()
    }
  }

  /** Lowers the priority after so many milliseconds of processor time from now. Returns a function that cancels this. */
  lowerPriorityAfter(milliseconds: number): () => void {
    return afterWork(this.pid, () => this.lowerPriority(), { milliseconds: () => milliseconds })
  }

  /** For good: only the superuser may raise it again. */
  lowerPriority(): void {
    this.hasLowPriority = true
    try {
      setPriority(this.pid!, Math.min(getPriority() + LESS_PRIORITY, LEAST_PRIORITY))
    } catch {
      // It is gone, or was never there.
    }
  }

  kill(): void {
    this.#process.kill('SIGKILL')
  }

  #kill(why: Error): void {
    this.#killedFor ??= why
    this.kill()
  }

  #outcome(reply: Outcome): Extracted {
    const { rss, cpu } = reply.usage
    this.usage = { rss: Math.max(rss, this.#resident), cpu }
    if (reply.kind === 'unreadable') throw new UnreadableFile(reply.reason, reply.message)
    const { kind: _, usage: __, ...extracted } = reply
    return extracted
  }

  /** What no child of ours sends comes from one that its file has taken over: it is not used again. */
  #take(piece: Buffer): void {
    if (this.#killedFor) return
    try {
      for (const message of this.#replies.read(piece)) this.#hear(message)
    } catch (error) {
      if (!(error instanceof BadFrame)) throw error
      this.#kill(damaged())
    }
  }

  #hear(message: unknown): void {
    if (isOfKind(message, 'ready') && !this.#ready) this.#ready = true
    // There is no request that it could answer.
    else if (!this.#waiting) this.#kill(damaged())
    else if (isOfKind(message, 'recognizing')) this.#onRecognizing?.()
    else this.#waiting.hear(message)
  }

  #reply(request: Request): Promise<Outcome> {
    this.#replies.begin()
    return new Promise((resolve, reject) => {
      const hear = (message: unknown): void => {
        if (this.#killedFor) return
        const reply = readOutcome(message, request)
        if (reply === null) return this.#kill(damaged())
        this.#waiting = null
        resolve(reply)
      }
      this.#waiting = { hear, fail: reject }
    })
  }

  /** A child that never came up says nothing of the file. */
  #causeOfDeath(): Error {
    const { signalCode } = this.#process
    if (!this.#ready) return notStarted(this.#stderr)
    if (/heap out of memory|allocation failed|out of memory/i.test(this.#stderr)) return tooHungry()
    if (signalCode === 'SIGXCPU') return this.#tooSlow()
    if (!FROM_OUTSIDE.has(signalCode)) return new ChildDied(damaged())
    // A kernel that runs out of memory kills the largest: that it was is the file's doing.
    return new ChildDied(this.#resident > (this.#options.rssMb * 1e6) / 2 ? tooHungry() : wasKilled())
  }

  #tooSlow(milliseconds = this.#options.deadlineMs): Error {
    if (!this.#ready) return notStarted('it took too long')
    const seconds = Math.round(milliseconds / 1000)
    return new UnreadableFile('timeout', `Reading the file took longer than ${seconds} seconds.`)
  }

  /** Buffers and WASM live outside the JavaScript heap, so its cap alone would not hold. */
  #watchMemory(): () => void {
    const statm = openStatm(this.pid)
    if (statm === null) return () => undefined
    const limit = this.#options.rssMb * 1e6
    const timer = setInterval(() => {
      this.#resident = residentBytes(statm) || this.#resident
      if (this.#resident > limit) this.#kill(tooHungry())
    }, RSS_INTERVAL_MS).unref()
    return () => {
      clearInterval(timer)
      closeSync(statm)
    }
  }
}

/** Bytes in a page of memory: AT_PAGESZ of the vector that the kernel gives a process, in pairs of 64 bits. */
const AT_PAGESZ = 6n
const PAGE = readPageSize()
const LONGEST_STATM = 256

/** Linux: what tells a process's memory, whenever it is read. null elsewhere, or when the process is gone. */
function openStatm(pid: number | undefined): number | null {
  try {
    return openSync(`/proc/${pid}/statm`, 'r')
  } catch {
    return null
  }
}

/**
 * The second number is resident pages; 0 when the process is gone. Read on the spot, which takes microseconds: nothing
 * waits for a disk here, and the way over a thread costs a hundred times that.
 */
function residentBytes(statm: number): number {
  const text = Buffer.alloc(LONGEST_STATM)
  try {
    const length = readSync(statm, text, 0, LONGEST_STATM, 0)
    return Number(text.toString('latin1', 0, length).split(' ')[1] ?? 0) * PAGE
  } catch {
    return 0
  }
}

/** Clock ticks a second, in which Linux counts processor time. */
const TICKS = 100

/** Milliseconds of processor time that a process has had. Null where the system does not tell (it is not Linux). */
function workedMs(pid: number | undefined): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name of the program comes before, in brackets, and may be anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS
  } catch {
    return null
  }
}

function readPageSize(): number {
  try {
    const words = new BigUint64Array(Uint8Array.from(readFileSync('/proc/self/auxv')).buffer)
    for (let at = 0; at < words.length; at += 2) if (words[at] === AT_PAGESZ) return Number(words[at + 1])
  } catch {
    // Not Linux: nothing is measured in pages.
  }
  return 4096
}

/**
 * Calls `then` once the process has had so many milliseconds of processor time from now, or `waiting` times as many have
 * passed; how many is asked again when they have, for they may have grown. Where the system does not tell processor time,
 * all time counts. Returns a function that cancels this.
 */
function afterWork(
  pid: number | undefined,
  then: () => void,
  { milliseconds, waiting = Infinity }: { milliseconds: () => number; waiting?: number },
): () => void {
  const began = performance.now()
  const workedBefore = workedMs(pid)
  const look = (): void => {
    const taken = performance.now() - began
    const workedNow = workedMs(pid)
    const worked = workedBefore === null || workedNow === null ? taken : workedNow - workedBefore
    const allowed = milliseconds()
    const left = Math.max(allowed - taken, Math.min(allowed - worked, waiting * allowed - taken))
    if (left > 0) timer = setTimeout(look, left)
    else then()
  }
  let timer = setTimeout(look, milliseconds())
  return () => clearTimeout(timer)
}

const notStarted = (why: string): EngineUnavailable =>
  new EngineUnavailable(
    'extractors',
    `an extractor process could not be started: ${why.trim() || 'no reason given'}`,
  )

function framed(request: Request): Buffer {
  const json = Buffer.from(JSON.stringify(request))
  const length = Buffer.alloc(4)
  length.writeUInt32LE(json.length)
  return Buffer.concat([length, json])
}

const isOfKind = (message: unknown, kind: Reply['kind']): boolean =>
  (message as Partial<Reply> | null)?.kind === kind

const damaged = (): UnreadableFile =>
  new UnreadableFile('corrupted', 'The file is damaged: reading it failed.')

const wasKilled = (): EngineUnavailable =>
  new EngineUnavailable('extractors', 'the process that read the file was killed', { retryAfterSeconds: 1 })

const tooHungry = (): UnreadableFile =>
  new UnreadableFile('memory', 'Reading the file takes more memory than is allowed.')
