import { open, unlink, type FileHandle } from 'node:fs/promises'
import type { WorkOptions } from '@medialog/application/ports'
import type { Spoken } from '../pool/protocol.ts'
import { Threads } from '../threads.ts'
import { inSentences } from './sentences.ts'
import type { Task } from './thread.ts'
import { LANGUAGES } from './vocabulary.ts'
import { BEGINNING, type Heard, type Utterance } from './window.ts'

export interface Transcript {
  /** ISO 639-1, or what the model calls it; null where nothing was said. */
  language: string | null
  /** In the order of their times, none longer than half a minute, each of whole sentences where those are shorter. */
  utterances: Utterance[]
}

export interface Transcriber {
  /**
   * Writes down what is said, window after window; accounts take turns at those. `beside`: a path at which a file may stand
   * for a moment.
   * @throws TaskLost, EngineUnavailable, the signal's reason
   */
  transcribe(spoken: Spoken, beside: string, options?: TranscribeOptions): Promise<Transcript>
  /** Ends the thread; what it works on fails as unavailable. */
  close(): Promise<void>
}

export interface TranscribeOptions extends WorkOptions {
  /** Told after each window: the share of the recording that was listened to, from 0 to 1. */
  onProgress?: ((share: number) => void) | undefined
}

/** Of one window, which takes about a second: more mean that the thread does not come back. */
const DEADLINE_MS = 120_000
/** Recordings that are listened to in turns, of all accounts and of one. */
const MOST_UNDER_WAY = 1_000
const MOST_OF_ONE = 500
const BYTES_A_SAMPLE = 2

/** Whisper from a folder, in a thread that comes with the first recording and ends a minute after the last. */
export function createTranscriber(folder: string): Transcriber {
  // Else the runtime tells Microsoft about this machine. It reads the environment of the process, not that of a thread.
  process.env['ORT_DISABLE_TELEMETRY'] = '1'
  const threads = new Threads<Task, Heard>({
    module: new URL('./thread.ts', import.meta.url),
    engine: 'speech recognition',
    task: 'recording',
    pool: { maxThreads: 1, workerData: folder, resourceLimits: { maxYoungGenerationSizeMb: 8 } },
    mostUnderWay: MOST_UNDER_WAY,
    mostOfOne: MOST_OF_ONE,
    deadlineMs: DEADLINE_MS,
  })
  return {
    async transcribe({ sound, voice }, beside, { onProgress, ...work } = {}) {
      await using file = await openUnnamed(beside)
      await file.writeFile(sound)
      const samples = sound.length / BYTES_A_SAMPLE
      const utterances: Utterance[] = []
      let progress = BEGINNING
      while (progress.at < samples) {
        const task: Task = { file: file.fd, samples, voice, progress }
        const heard = await threads.run(() => ({ task }), work)
        utterances.push(...heard.utterances)
        progress = heard.progress
        onProgress?.(progress.at / samples)
      }
      const { languages } = progress
      const language = LANGUAGES[languages.indexOf(Math.max(...languages))]!
      return { language: utterances.length > 0 ? language : null, utterances: inSentences(utterances) }
    },
    close: () => threads.close(),
  }
}

/** A file without a name: the system gives its room back when it is closed, or the process ends. */
async function openUnnamed(path: string): Promise<FileHandle> {
  const file = await open(path, 'wx+', 0o600)
  await unlink(path)
  return file
}
