import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { soundIn, wavOf } from '@medialog/understanding/testing/long-recording'

/** Samples a second. */
const RATE = 8_000
const SECOND = RATE * Int16Array.BYTES_PER_ELEMENT
const GAP = Buffer.alloc(0.8 * SECOND)
/** Characters a second. */
const [SLOWEST, FASTEST] = [9, 24]
const NOT_AS_READ = /[\d[\]()/<>*#_«»+…:?]|\.\.\.|conf-|\p{Lu}{2}/u

export const LANGUAGES = ['en', 'es', 'fr', 'it', 'ru'] as const
export type Language = (typeof LANGUAGES)[number]

/** What someone says into a telephone, one prompt after the other. */
export interface Recorded {
  wav: Uint8Array
  /** Of each prompt: its words, and the second at which it begins. */
  prompts: { text: string; start: number }[]
}

/** About `seconds` of prompts in the language, from Debian's packages in `folder`: every time the same. */
export function recorded(folder: string, language: Language, seconds: number): Recorded {
  const sounds = join(folder, 'usr/share/asterisk/sounds')
  const voice = readdirSync(sounds).find((name) => name.startsWith(`${language}_`))!
  const parts: Uint8Array[] = [GAP]
  const prompts: Recorded['prompts'] = []
  let length = GAP.length
  for (const { name, text } of textsOf(folder, language)) {
    if (length > seconds * SECOND) break
    const sound = soundOf(join(sounds, voice, `${name}.wav`), text)
    if (sound === null) continue
    prompts.push({ text, start: length / SECOND })
    parts.push(sound, GAP)
    length += sound.length + GAP.length
  }
  return { wav: wavOf(parts, RATE), prompts }
}

/** Twenty seconds of each of its pieces of music. */
export function music(folder: string): Uint8Array {
  const pieces = join(folder, 'usr/share/asterisk/moh')
  const sounds = readdirSync(pieces)
    .filter((name) => name.endsWith('.wav'))
    .toSorted()
    .map((name) => soundIn(readFileSync(join(pieces, name))).subarray(0, 20 * SECOND))
  return wavOf(sounds, RATE)
}

/** Those that are sentences, without digits and notes, which are read out in more than one way; each once, spread over the list. */
function textsOf(folder: string, language: Language): { name: string; text: string }[] {
  const list = join(folder, `usr/share/doc/asterisk-core-sounds-${language}/core-sounds-${language}.txt.gz`)
  const lines = textOf(gunzipSync(readFileSync(list))).split('\n')
  const texts = new Map<string, string>()
  for (const line of lines) {
    const [name, text] = line.split(/:(.*)/s).map((part) => part.trim()) as [string, string?]
    if (line.startsWith(';') || text === undefined || text.split(' ').length < 4) continue
    if (!NOT_AS_READ.test(text) && !texts.has(text)) texts.set(text, name)
  }
  const all = [...texts].map(([text, name]) => ({ name, text }))
  return all.map((_, at) => all[(at * 37) % all.length]!)
}

/** Some lists are older than UTF-8. */
function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('latin1').decode(bytes)
  }
}

/** Null where it is missing, or is not as long as its text is: one of the two is cut off. */
function soundOf(path: string, text: string): Uint8Array | null {
  try {
    const sound = soundIn(readFileSync(path))
    const charactersASecond = text.length / (sound.length / SECOND)
    return charactersASecond > SLOWEST && charactersASecond < FASTEST ? sound : null
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
