import { spawn, type ChildProcess } from 'node:child_process'
import { closeSync, createReadStream, openSync, readSync } from 'node:fs'
import { EngineUnavailable } from '@medialog/application/ports'
import { UnreadableFile } from '@medialog/application/ports/understanding'
import type { Profile } from '../formats.ts'
import { childCommand, childEnvironment, type ChildLimits } from './command.ts'
import type { Extracted, Outcome, Reply, Request, Usage } from './protocol.ts'

export interface ChildOptions extends ChildLimits {
  entry: URL
  /** Milliseconds a file may take, besides `recognitionMs` where words are read from pictures. */
  deadlineMs: number
  /** Resident MB; above it the child is killed. Looked after where the system tells (Linux). */
  rssMb: number
}

const RSS_INTERVAL_MS = 50
const STDERR_KEPT = 4096

/** One child process as its parent sees it. It reads one file at a time and is killed to be stopped. */
export class ExtractorChild {
  readonly profile: Profile
  files = 0
  usage: Usage = { rss: 0, cpu: 0 }
  /** Settles when the process is gone. */
  readonly exited: Promise<void>
  readonly #process: ChildProcess
  readonly #options: ChildOptions
  #ready = false
  #stderr = ''
  #killedFor: Error | null = null

  constructor(profile: Profile, options: ChildOptions) {
    this.profile = profile
    this.#options = options
    const { file, args } = childCommand(options.entry, profile, options)
    this.#process = spawn(file, args, {
      env: childEnvironment(),
      stdio: ['pipe', 'ignore', 'pipe', 'ipc'],
      serialization: 'advanced',
    })
    this.#process.stdin!.on('error', () => {}) // a dead child is noticed by its exit
    this.#process.on('error', () => {})
    this.#process.stderr!.on('data', (piece: Buffer) => {
      this.#stderr = (this.#stderr + piece.toString('latin1')).slice(-STDERR_KEPT)
    })
    this.#process.on('message', ({ kind }: Reply) => {
      this.#ready ||= kind === 'ready'
    })
    this.exited = new Promise((resolve) => {
      this.#process.once('close', () => resolve())
      this.#process.once('error', () => resolve())
    })
  }

  get pid(): number | undefined {
    return this.#process.pid
  }

  get alive(): boolean {
    return (
      this.#process.connected &&
      this.#process.exitCode === null &&
      this.#process.signalCode === null &&
      !this.#process.killed
    )
  }

  /**
   * Reads one file, `size` bytes of it.
   * @throws UnreadableFile what the child found, or `timeout`, `memory`, `corrupted` when it did not survive
   * @throws EngineUnavailable when the child never came up
   * @throws the signal's reason when aborted; the child is dead by then
   */
  async extract(path: string, request: Request, signal?: AbortSignal): Promise<Extracted> {
    signal?.throwIfAborted()
    const onAbort = (): void => this.#kill(signal!.reason as Error)
    signal?.addEventListener('abort', onAbort)
    const started = performance.now()
    const { deadlineMs, recognitionMs } = this.#options
    let deadline = this.#killAt(started, deadlineMs)
    const onRecognizing = ({ kind }: Reply): void => {
      if (kind !== 'recognizing') return
      clearTimeout(deadline)
      deadline = this.#killAt(started, deadlineMs + recognitionMs)
    }
    this.#process.on('message', onRecognizing)
    const stopWatching = this.#watchMemory()
    const input = createReadStream(path, { end: Math.max(0, request.size - 1) })
    try {
      const reply = this.#reply()
      input.on('error', (error) => this.#kill(error))
      this.#process.send(request)
      input.pipe(this.#process.stdin!, { end: false })
      return this.#outcome(await reply)
    } finally {
      signal?.removeEventListener('abort', onAbort)
      this.#process.off('message', onRecognizing)
      clearTimeout(deadline)
      stopWatching()
      input.destroy()
      this.files++
    }
  }

  #killAt(started: number, milliseconds: number): NodeJS.Timeout {
    const left = started + milliseconds - performance.now()
    return setTimeout(() => this.#kill(this.#tooSlow(milliseconds)), left)
  }

  kill(): void {
    this.#process.kill('SIGKILL')
  }

  #kill(why: Error): void {
    this.#killedFor ??= why
    this.kill()
  }

  #outcome(reply: Outcome): Extracted {
    this.usage = reply.usage
    if (reply.kind === 'unreadable') throw new UnreadableFile(reply.reason, reply.message)
    const { kind: _, usage: __, ...extracted } = reply
    return extracted
  }

  #reply(): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      const onMessage = (reply: Reply): void => {
        if (reply.kind === 'ready' || reply.kind === 'recognizing') return
        this.#process.off('message', onMessage)
        if (!this.#killedFor) resolve(reply)
      }
      this.#process.on('message', onMessage)
      void this.exited.then(() => reject(this.#killedFor ?? this.#causeOfDeath()))
    })
  }

  /** A child that never came up says nothing of the file. */
  #causeOfDeath(): Error {
    const { signalCode } = this.#process
    if (!this.#ready) return notStarted(this.#stderr)
    if (/heap out of memory|allocation failed|out of memory/i.test(this.#stderr) || signalCode === 'SIGKILL')
      return tooHungry()
    if (signalCode === 'SIGXCPU') return this.#tooSlow()
    return new UnreadableFile('corrupted', 'The file is damaged: reading it failed.')
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
      if (residentBytes(statm) > limit) this.#kill(tooHungry())
    }, RSS_INTERVAL_MS).unref()
    return () => {
      clearInterval(timer)
      closeSync(statm)
    }
  }
}

const PAGE = 4096
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

const notStarted = (why: string): EngineUnavailable =>
  new EngineUnavailable(
    'extractors',
    `an extractor process could not be started: ${why.trim() || 'no reason given'}`,
  )

const tooHungry = (): UnreadableFile =>
  new UnreadableFile('memory', 'Reading the file takes more memory than is allowed.')
