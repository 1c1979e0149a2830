import { deflateSync } from 'node:zlib'
import { line } from '../text/clean.ts'
import { Decoding, phrasesOf, type Phrase, type Said } from './decoding.ts'
import { FRAMES_A_SECOND, logMel, RATE, scale } from './mel.ts'
import type { Stretch } from './voice.ts'
import { LANGUAGES } from './vocabulary.ts'
import type { Beginning, Whisper } from './whisper.ts'

/** The model, as far as it is used here. */
type Listener = Pick<Whisper, 'listen' | 'decode' | 'textOf'>

/** A recording in one channel, RATE samples a second, and where someone may be speaking. */
export interface Recording {
  samples: number
  voice: readonly Stretch[]
  /** Samples from one on to before another. */
  read(start: number, end: number): Int16Array
}

/** What is carried from a window to the next. */
export interface Progress {
  /** The sample that is listened to next; at the end as many as there are. */
  at: number
  /** Samples that were listened to so far, those that were heard again counted again. */
  listened: number
  /** Log10 of the loudest power so far. */
  loudest: number
  /** Of each language: logarithms of its probabilities so far, added up, windows with speech counting more. */
  languages: number[]
}

/** What was said, in seconds from the beginning. */
export interface HeardSegment {
  start: number
  end: number
  text: string
  /** From 0 to 1: the geometric mean of the probabilities that the model gave to what it wrote. */
  confidence: number
}

export interface Heard {
  segments: HeardSegment[]
  progress: Progress
}

export const BEGINNING: Progress = { at: 0, listened: 0, loudest: -1, languages: LANGUAGES.map(() => 0) }

const LONGEST = 30 * RATE
const SHORTEST_FRAMES = 5 * FRAMES_A_SECOND
/** Seconds of silence after a window, and a fraction that stays of a pause. */
const SILENCE_AFTER = 1
const PAUSE = 0.2 * RATE
/** A window is not cut in a pause before this part of it. */
const EARLIEST_CUT = 0.4
/** Samples of speech behind the last stamp from which on the next window begins there. */
const LEFT_OUT = 0.9 * RATE
const SHORTEST_LEFT_OUT = 0.1 * RATE
/** So many times a recording is listened to in all, and half a minute. */
const MOST_OFTEN = 2
/** The probability from which on a window is in another language than those before it. */
const CERTAIN = 0.9
/** Where decoding repeats itself, once more without runs of so many ids that come twice. */
const UNREPEATED = 4

/** Characters: more than fit into a window. */
const LONGEST_PHRASE = 10_000

/** Limits of what is believed; see isDoubtful, isNoSpeech and isUnknown. */
const MOST_COMPRESSED = 2.4
const UNSURE = -1
const VERY_UNSURE = -1.5
const LIKELY = 0.6
const HALF_SURE = -0.5

/**
 * Listens to one window, at most half a minute that ends in a pause where there is one: one turn of the thread.
 */
export async function hearWindow(
  whisper: Listener,
  recording: Recording,
  progress: Progress,
): Promise<Heard> {
  const { samples, voice } = recording
  const first = voice.findIndex(([, end]) => end > progress.at + SHORTEST_LEFT_OUT)
  if (first < 0) return { segments: [], progress: { ...progress, at: samples } }
  const start = Math.max(progress.at, voice[first]![0])
  const { end, isPause } = endOf(samples, voice, first, start)
  const seconds = (end - start) / RATE
  const frames = framesFor(seconds)
  const mel = logMel(recording.read(start, end), frames)
  const loudest = scale(mel, progress.loudest)
  const beginning = await whisper.listen(mel, frames)
  const languages = progress.languages.map(
    (sum, at) => sum + Math.log(beginning.languages[at]! + 1e-6) * (1 - beginning.noSpeech),
  )
  const language = likeliest(Math.max(...beginning.languages) > CERTAIN ? beginning.languages : languages)
  const attempt = await written(whisper, language, seconds, beginning)
  const phrases = phrasesOf(attempt.said)
  const isBelieved =
    !isNoSpeech(attempt, phrases, { seconds, language, beginning, whisper }) &&
    !isUnknown(attempt, Math.max(beginning.languages[language]!, probabilityOf(language, languages)))
  const { kept, next } = goingOn({ phrases, start, end, isPause, isBelieved, voice, first })
  const segments = isBelieved ? kept.flatMap((phrase) => segmentOf(phrase, start, seconds, whisper)) : []
  const listened = progress.listened + end - start
  // However it is made, a recording is not listened to more often than that.
  const isEnough = listened > MOST_OFTEN * end + LONGEST
  const at = Math.min(samples, isEnough ? end : Math.max(next, start + RATE))
  return { segments, progress: { at, listened, loudest, languages } }
}

/** The number in LANGUAGES. */
export const likeliest = (languages: readonly number[]): number => languages.indexOf(Math.max(...languages))

/** Frames of a window with the silence after it: an even number, not fewer than the model needs to tell a language. */
function framesFor(seconds: number): number {
  const wanted = Math.max(SHORTEST_FRAMES, (seconds + SILENCE_AFTER) * FRAMES_A_SECOND)
  return Math.min((LONGEST / RATE) * FRAMES_A_SECOND, 2 * Math.ceil(wanted / 2))
}

/** Where a window from `start` on ends: in a pause, if it can. */
function endOf(
  length: number,
  voice: readonly Stretch[],
  first: number,
  start: number,
): { end: number; isPause: boolean } {
  const latest = Math.min(length, start + LONGEST)
  let last = first
  while (last + 1 < voice.length && voice[last + 1]![0] < latest) last++
  if (voice[last]![1] <= latest) return { end: Math.min(latest, voice[last]![1] + PAUSE), isPause: true }
  for (; last > first; last--) {
    const [before, after] = [voice[last - 1]![1], voice[last]![0]]
    if (before - start < EARLIEST_CUT * LONGEST) break
    if (after > before) return { end: before + Math.min((after - before) >> 1, PAUSE), isPause: true }
  }
  return { end: latest, isPause: false }
}

interface Attempt {
  said: Said[]
  text: string
  /** Mean logarithm of the probabilities. */
  sure: number
  /** How many times shorter its text becomes by compression. */
  compression: number
  isLoop: boolean
}

/** Greedily; once more where that went wrong, and the better of both. */
async function written(
  whisper: Listener,
  language: number,
  seconds: number,
  { noSpeech }: Beginning,
): Promise<Attempt> {
  const attempt = async (unrepeated = 0): Promise<Attempt> => {
    const decoding = new Decoding(seconds, unrepeated)
    const isLoop = !(await whisper.decode(language, decoding))
    const { said, sure } = decoding
    const text = whisper.textOf(said.map(({ id }) => id))
    return { said, text: text.trim(), sure, compression: compressionOf(text), isLoop }
  }
  const first = await attempt()
  if (!isDoubtful(first) || noSpeech >= 0.6) return first
  const second = await attempt(UNREPEATED)
  const isBetter =
    !second.isLoop &&
    second.compression <= MOST_COMPRESSED &&
    (second.sure > first.sure - 0.3 || first.isLoop)
  return isBetter ? second : first
}

const isDoubtful = ({ isLoop, compression, sure }: Attempt): boolean =>
  isLoop || compression > MOST_COMPRESSED || sure < UNSURE

interface Circumstances {
  seconds: number
  language: number
  beginning: Beginning
  whisper: Listener
}

/**
 * Music and noise look like no speech to the model, which is then unsure of what it writes, writes little, or the same again
 * and again. The limits were set on 54 windows of silence, noise, tones and music, and on real speech in five languages.
 */
function isNoSpeech(
  { text, sure, compression, isLoop }: Attempt,
  phrases: readonly Phrase[],
  { seconds, language, beginning: { noSpeech, languages }, whisper }: Circumstances,
): boolean {
  if (isLoop || compression > MOST_COMPRESSED || sure < VERY_UNSURE) return true
  if (noSpeech > 0.6 && (sure < UNSURE || languages[language]! < LIKELY)) return true
  if (noSpeech > 0.3 && sure < UNSURE) return true
  const charactersASecond = text.length / Math.max(1, seconds)
  if (charactersASecond < 1.5 && (noSpeech > 0.3 || sure < -0.8)) return true
  return isMostlyTheSame(phrases.map((phrase) => textOf(phrase, whisper)))
}

/**
 * In a language that it does not know the model writes words of one that sounds like it. People who speak one that it knows were never
 * given less than .78, noise and music about them included.
 */
const isUnknown = ({ sure }: Attempt, probability: number): boolean =>
  probability < LIKELY && sure < HALF_SURE

/** Of one of the languages by logarithms that were added up. */
function probabilityOf(language: number, logarithms: readonly number[]): number {
  const most = Math.max(...logarithms)
  const sum = logarithms.reduce((total, logarithm) => total + Math.exp(logarithm - most), 0)
  return Math.exp(logarithms[language]! - most) / sum
}

function isMostlyTheSame(texts: readonly string[]): boolean {
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  return texts.length >= 3 && Math.max(...counts.values()) > texts.length / 2
}

interface Window {
  phrases: Phrase[]
  start: number
  end: number
  isPause: boolean
  isBelieved: boolean
  voice: readonly Stretch[]
  first: number
}

/**
 * Where the next window begins, and which phrases stay. It hears a last one without an end again, unless this window ends in
 * a pause; and what the model left out behind its last stamp.
 */
function goingOn({ phrases, start, end, isPause, isBelieved, voice, first }: Window): {
  kept: Phrase[]
  next: number
} {
  const isClosed = phrases.at(-1)?.end !== null
  const lastEnd = phrases.findLast((phrase) => phrase.end !== null)?.end ?? 0
  const stamped = start + Math.round(lastEnd * RATE)
  if (lastEnd <= 1) return { kept: phrases, next: end }
  if (!isClosed) return isPause ? { kept: phrases, next: end } : { kept: phrases.slice(0, -1), next: stamped }
  if (!isBelieved) return { kept: phrases, next: end }
  const rest = voice
    .slice(first)
    .map(([from, to]) => [Math.max(from, stamped + PAUSE), Math.min(to, end)] as const)
    .filter(([from, to]) => to > from + SHORTEST_LEFT_OUT)
  const left = rest.reduce((sum, [from, to]) => sum + to - from, 0)
  return { kept: phrases, next: left > LEFT_OUT ? Math.max(stamped, rest[0]![0] - PAUSE) : end }
}

function segmentOf(phrase: Phrase, start: number, seconds: number, whisper: Listener): HeardSegment[] {
  const text = textOf(phrase, whisper)
  if (text === '') return []
  const at = (second: number): number => Math.round((start / RATE + Math.min(second, seconds)) * 100) / 100
  const confidence = Math.exp(phrase.said.reduce((sum, { sure }) => sum + sure, 0) / phrase.said.length)
  return [
    {
      start: at(phrase.start),
      end: at(phrase.end ?? seconds),
      text,
      confidence: Math.round(confidence * 1000) / 1000,
    },
  ]
}

/** On one line. */
const textOf = ({ said }: Phrase, whisper: Listener): string =>
  line(whisper.textOf(said.map(({ id }) => id)), LONGEST_PHRASE) ?? ''

function compressionOf(text: string): number {
  const bytes = Buffer.from(text)
  return bytes.length === 0 ? 0 : bytes.length / deflateSync(bytes).length
}
