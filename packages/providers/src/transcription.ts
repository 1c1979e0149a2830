import { readFile } from 'node:fs/promises'
import type { SaidSegment, SourceFile, Transcript, WorkOptions } from '@medialog/application/ports'
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

/** Where the provider says no times, there are no segments. */
export interface WrittenDown extends Transcript {
  text: string
}

/** Whether a recording can be sent. */
export const isTaken = ({ format, size }: Pick<SourceFile, 'format' | 'size'>): boolean =>
  FORMATS.has(format.name) && size <= MOST_BYTES

/** What is said in a recording; empty where nothing is. @throws ProviderUnavailable */
export async function writeDown(
  line: ProviderLine,
  model: TranscriptionModel,
  { path }: SourceFile,
  seconds: number,
  work: WorkOptions = {},
): Promise<WrittenDown> {
  const audio = await readFile(path, work.signal ? { signal: work.signal } : {})
  return line.call(
    Math.ceil(seconds * TOKENS_A_SECOND),
    async (within) => {
      const { text, language, segments } = await transcribe({
        model,
        audio,
        maxRetries: 0,
        abortSignal: within,
      }).catch((error: unknown) => {
        if (NoTranscriptGeneratedError.isInstance(error)) return NOTHING
        throw error
      })
      const value = {
        text: prose(LONGEST_TRANSCRIPT).parse(text),
        language: language ?? null,
        segments: segmentsOf(segments),
      }
      return { value, tokens: undefined }
    },
    work,
  )
}

const NOTHING = { text: '', language: undefined, segments: [] }

/** What is said between which seconds, as far as a transcript may be long; none where the times are no times. */
function segmentsOf(
  found: readonly { text: string; startSecond: number; endSecond: number }[],
): SaidSegment[] {
  const segments: SaidSegment[] = []
  let [length, last] = [0, 0]
  for (const { text, startSecond: start, endSecond: end } of found) {
    if (!(start >= last && end >= start && end < Infinity)) return []
    last = start
    if (length >= LONGEST_TRANSCRIPT) continue
    const said = prose(LONGEST_TRANSCRIPT - length).parse(text)
    if (said === '') continue
    length += said.length
    segments.push({ start, end, text: said })
  }
  return segments
}
