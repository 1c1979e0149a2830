import { readFile } from 'node:fs/promises'
import type { SourceFile, WorkOptions } from '@medialog/application/ports'
import { NoTranscriptGeneratedError, transcribe, type TranscriptionModel } from 'ai'
import { prose } from './bounded.ts'
import type { ProviderLine } from './line.ts'

/** What servers of OpenAI's protocol take. */
const FORMATS = new Set(['mp3', 'm4a', 'wav', 'flac', 'ogg'])
const MOST_BYTES = 25_000_000
/** Sound is paid for by its length: so many tokens a second stand for it in the budget. */
const TOKENS_A_SECOND = 20
/** Ten minutes of fast speech have 15 000 characters. */
const LONGEST_TRANSCRIPT = 100_000

export interface Transcript {
  text: string
  /** ISO 639-1, where the provider says it. */
  language: string | null
}

/** Why the recording cannot be sent: a sentence for its uploader; null where it can. */
export function untranscribable({ format, size }: SourceFile): string | null {
  if (!FORMATS.has(format.name))
    return `Speech is not written down from ${format.name.toUpperCase()}: the model takes ${[...FORMATS].join(', ')}.`
  return size > MOST_BYTES
    ? `Speech was not written down: the model takes recordings of up to ${MOST_BYTES / 1e6} MB.`
    : null
}

/** What is said in a recording; empty where nothing is. @throws ProviderUnavailable */
export async function writeDown(
  line: ProviderLine,
  model: TranscriptionModel,
  { path }: SourceFile,
  seconds: number,
  work: WorkOptions = {},
): Promise<Transcript> {
  const audio = await readFile(path, work.signal ? { signal: work.signal } : {})
  return line.call(
    Math.ceil(seconds * TOKENS_A_SECOND),
    async (within) => {
      const { text, language } = await transcribe({ model, audio, maxRetries: 0, abortSignal: within }).catch(
        (error: unknown) => {
          if (NoTranscriptGeneratedError.isInstance(error)) return { text: '', language: undefined }
          throw error
        },
      )
      const value = { text: prose(LONGEST_TRANSCRIPT).parse(text), language: language ?? null }
      return { value, tokens: undefined }
    },
    work,
  )
}
