import type { Recognition } from '@medialog/application/ports/understanding'
import { METHOD, OutOfTime, TesseractEngine, type Word } from './engine.ts'
import { turned, type GreyPicture } from './grey-picture.ts'
import { keptText, type KeptText } from './kept-words.ts'
import { lookForText, type Looked, type ReadablePicture } from './look.ts'
import type { TrainedData } from './trained-data.ts'

/** The height in pixels of patches, most of them small letters, at which Tesseract reads best. */
const LETTER_HEIGHT = 20
const MOST_ENLARGED = 3
const MOST_PIXELS = 8e6
/** Characters, as the look for lines counts them, that are read of one file: three to four full pages of print. */
const MOST_CHARACTERS = 12_000

interface ReaderOptions {
  trained: readonly TrainedData[]
  /** For all pictures of a file, those of the files in it included. */
  milliseconds: number
  /** Of processor time in which they are drawn and searched for lines of writing: the file's text is to be read besides. */
  lookingMs: number
  /** Called before the first picture that is read. */
  onStart(): void
}

let options: ReaderOptions = { trained: [], milliseconds: 0, lookingMs: Infinity, onStart() {} }
let engine = new TesseractEngine([])
let used = { characters: 0, lookedMs: 0, deadline: Infinity, outOfTime: false }

/** Sets for this process in which languages pictures are read; in none until then. */
export function readPicturesWith(chosen: ReaderOptions): void {
  options = chosen
  engine = new TesseractEngine(chosen.trained)
}

/** What one file may take begins anew: a process reads one file at a time. */
export function beginFile(): void {
  used = { characters: 0, lookedMs: 0, deadline: Infinity, outOfTime: false }
}

export type Reading =
  | { outcome: 'read'; text: KeptText }
  /** No lines of writing, or none that could be read. */
  | { outcome: 'nothing' }
  /** There may be words: reading is turned off, or what one file may take is spent. */
  | { outcome: 'unread' }

/** Reads pictures, and says at the end what came of it. */
export class TextReader {
  readonly #totals = { words: 0, dropped: 0, confidence: 0, letters: 0 }

  /** Whether the file's pictures have taken as long as they may: the others stay unread. */
  get isOutOfTime(): boolean {
    return used.outOfTime || used.lookedMs > options.lookingMs
  }

  /** Does what goes before the reading of a picture, and counts the time that it takes. */
  async look<T>(work: () => Promise<T>): Promise<T> {
    const begun = processorMs()
    try {
      return await work()
    } finally {
      used.lookedMs += processorMs() - begun
    }
  }

  /** @throws what taking the picture throws */
  async read(picture: ReadablePicture, given?: Looked): Promise<Reading> {
    if (this.isOutOfTime) return { outcome: 'unread' }
    const { scale, lines } = given ?? (await this.look(() => lookForText(picture)))
    if (!lines.worthReading) return { outcome: 'nothing' }
    if (options.trained.length === 0 || used.characters >= MOST_CHARACTERS) return { outcome: 'unread' }
    used.characters += lines.characters
    const grey = await picture.grey(readingScale(picture, (scale * LETTER_HEIGHT) / lines.height))
    return this.#recognize(turned(grey, lines.quarters))
  }

  /** Null where no word was read. */
  get recognition(): Recognition | null {
    const { words, dropped, confidence, letters } = this.#totals
    if (words === 0) return null
    return {
      method: METHOD,
      languages: options.trained.map(({ language }) => language),
      words,
      dropped,
      confidence: Math.round((confidence / letters) * 1000) / 1000,
    }
  }

  async #recognize(picture: GreyPicture): Promise<Reading> {
    if (used.deadline === Infinity) {
      options.onStart()
      used.deadline = performance.now() + options.milliseconds
    }
    const words = await wordsIn(picture)
    if (words === null) return { outcome: 'unread' }
    const text = keptText(words)
    if (text.words === 0) return { outcome: 'nothing' }
    for (const key of ['words', 'dropped', 'confidence', 'letters'] as const) this.#totals[key] += text[key]
    return { outcome: 'read', text }
  }
}

function processorMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

/** Null when it takes too long, or the engine breaks on the picture: a file is more than its words. */
async function wordsIn(picture: GreyPicture): Promise<Word[] | null> {
  try {
    return await engine.words(picture, used.deadline)
  } catch (error) {
    if (error instanceof OutOfTime) used.outOfTime = true
    return null
  }
}

const readingScale = ({ width, height }: ReadablePicture, wanted: number): number =>
  Math.min(wanted, MOST_ENLARGED, Math.sqrt(MOST_PIXELS / (width * height)))

/** `OCR, mean confidence 84 %; 3 uncertain words were left out` */
export function recognitionInWords({ confidence, dropped }: Recognition): string {
  const words = dropped === 1 ? '1 uncertain word was' : `${dropped} uncertain words were`
  return `OCR, mean confidence ${Math.round(100 * confidence)} %${dropped > 0 ? `; ${words} left out` : ''}`
}
