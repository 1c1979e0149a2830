import { randomUUID } from 'node:crypto'
import { open, unlink, type FileHandle } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { EngineUnavailable, type Transcript, type UnderstandOptions } from '@medialog/application/ports'
import { keepQuiet } from '@medialog/embedder'
import type { Spoken } from '../pool/protocol.ts'
import { Threads } from '../threads.ts'
import { inSentences } from './sentences.ts'
import type { Task } from './thread.ts'
import { LANGUAGES } from './vocabulary.ts'
import { BEGINNING, likeliest, type Heard, type HeardSegment } from './window.ts'

export interface Written extends Transcript {
  /** None longer than half a minute, each of whole sentences where those are shorter. */
  segments: HeardSegment[]
}

export interface Transcriber {
  /** What wrote it down: the name of the model's folder. */
  readonly model: string
  /**
   * Writes down what is said, window after window; accounts take turns at those. The sound waits in a file of `folder`, and
   * is let go of here. Progress is reported after each window.
   * @throws TaskLost, EngineUnavailable, the signal's reason
   */
  transcribe(spoken: Spoken, folder: string, options?: UnderstandOptions): Promise<Written>
  /** Ends the thread; what it works on fails as unavailable. */
  close(): Promise<void>
}

/** Of one window, which takes about a second: more mean that the thread does not come back. */
const DEADLINE_MS = 120_000
/** Recordings that are listened to in turns, of all accounts and of one. */
const MOST_UNDER_WAY = 1_000
const MOST_OF_ONE = 500
const NO_SOUND = new Uint8Array()

/** Whisper from a folder, in a thread that comes with the first recording and ends a minute after the last. */
export function createTranscriber(model: string): Transcriber {
  keepQuiet()
  const threads = new Threads<Task, Heard>({
    module: new URL('./thread.ts', import.meta.url),
    name: 'speech',
    engine: 'speech recognition',
    task: 'recording',
    pool: { maxThreads: 1, workerData: model, resourceLimits: { maxYoungGenerationSizeMb: 8 } },
    mostUnderWay: MOST_UNDER_WAY,
    mostOfOne: MOST_OF_ONE,
    deadlineMs: DEADLINE_MS,
    // The window is finished.
    graceMs: DEADLINE_MS,
  })
  return {
    model: basename(model),
    async transcribe(spoken, folder, { onProgress, ...work } = {}) {
      const { voice } = spoken
      const samples = spoken.sound.length / Int16Array.BYTES_PER_ELEMENT
      await using file = await setDown(spoken.sound, folder)
      // Many recordings may wait, of 19 MB each.
      spoken.sound = NO_SOUND
      const segments: HeardSegment[] = []
      let progress = BEGINNING
      while (progress.at < samples) {
        const task: Task = { file: file.fd, samples, voice, progress }
        const heard = await threads.run(() => ({ task }), work)
        segments.push(...heard.segments)
        progress = heard.progress
        onProgress?.(progress.at / samples)
      }
      const language = LANGUAGES[likeliest(progress.languages)]!
      return { language: segments.length > 0 ? language : null, segments: inSentences(segments) }
    },
    close: () => threads.close(),
  }
}

/** In a file without a name: the system gives its room back when it is closed, or the process ends. @throws EngineUnavailable */
async function setDown(sound: Uint8Array, folder: string): Promise<FileHandle> {
  // The name of what staging sweeps, if the process ends before it is taken away.
  const path = join(folder, `${randomUUID()}.part`)
  let file: FileHandle | undefined
  try {
    file = await open(path, 'wx+', 0o600)
    await unlink(path)
    await file.writeFile(sound)
    return file
  } catch (cause) {
    await file?.close()
    const why = `the sound cannot be set down: ${(cause as Error).message}`
    throw new EngineUnavailable('staging', why, { retryAfterSeconds: 60, cause })
  }
}
