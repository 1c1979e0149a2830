import { UnreadableFile, type Format } from '@medialog/application/ports/understanding'
import { line } from '../text/clean.ts'
import { mendLatin1 } from '../text/encoding.ts'
import type { Content } from './content.ts'
import { endsWithinFrame } from './last-frame.ts'
import { statedLength } from './stated-length.ts'

/** @throws UnreadableFile `corrupted` for a file shorter than it says */
export function refuseCut(bytes: Uint8Array, noun: 'recording' | 'video'): void {
  if ((statedLength(bytes) ?? 0) > bytes.length + COUNTED_TWICE) throw cutShort(noun)
}

/** What plays up to where it ends may have been longer: that is said, not refused. */
export function warnOfCut(
  bytes: Uint8Array,
  format: Format,
  content: Content,
  noun: 'recording' | 'video',
): void {
  if (endsWithinFrame(bytes, format.name))
    content.warn(`The ${noun} ends in the middle of a frame: its end may be missing.`)
}

/** Bytes. Some writers of RIFF add its header to a length that already holds it. */
const COUNTED_TWICE = 8

export const cutShort = (noun: 'recording' | 'video'): UnreadableFile =>
  new UnreadableFile('corrupted', `The ${noun} ends before the length its header states.`)

/** @throws UnreadableFile `too-large` for what plays longer than its format may */
export function refuseLong({ maxSeconds }: Format, seconds: number, noun: 'recording' | 'video'): void {
  if (maxSeconds !== undefined && seconds > maxSeconds)
    throw new UnreadableFile('too-large', `The ${noun} is longer than ${maxSeconds / 60} minutes.`)
}

export type Tags = { [name: string]: string }

/** Tags by name, each on one line, in the encoding that they are written in; those without words are left out. */
export const tagsOf = (found: readonly (readonly [name: string, value: unknown])[]): Tags =>
  Object.fromEntries(
    found.flatMap(([name, value]) => {
      const words = line(typeof value === 'string' ? mendLatin1(value) : value)
      return words === null ? [] : [[name, words]]
    }),
  )
