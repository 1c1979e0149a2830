import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import type { Tesseract } from 'tesseract.js-core/tesseract-core-simd-lstm.js'
import type { GreyPicture } from './grey-picture.ts'
import type { TrainedData } from './trained-data.ts'

/** A word as it was read, and where it stands: numbers count blocks, paragraphs in them, lines in those. */
export interface Word {
  block: number
  paragraph: number
  line: number
  text: string
  /** 0 to 100, Tesseract's own measure. */
  confidence: number
}

/** Reading took longer than it may. */
export class OutOfTime extends Error {
  override name = 'OutOfTime'
}

/**
 * Names the method: Tesseract's LSTM engine. Of its WASM builds the one with plain SIMD: relaxed SIMD may round
 * otherwise on another processor, without SIMD it takes three times as long.
 */
export const METHOD = 'tesseract-5-lstm'
const CORE = 'tesseract.js-core/tesseract-core-simd-lstm'

/** Whole pages, columns and pictures told apart, orientation as it is (Tesseract's PSM_AUTO). */
const AUTOMATIC_LAYOUT = 3

/** Tesseract in this process, without threads, files or network: a picture gives the same words each time. */
export class TesseractEngine {
  readonly #trained: readonly TrainedData[]
  #loaded: Promise<Tesseract> | null = null
  /** As `performance.now()` counts. */
  #deadline = Infinity

  constructor(trained: readonly TrainedData[]) {
    this.#trained = trained
  }

  /**
   * The words of a picture in reading order, all of them, whatever their confidence.
   * @throws OutOfTime at the deadline (as `performance.now()` counts)
   */
  async words(picture: GreyPicture, deadline: number): Promise<Word[]> {
    this.#deadline = deadline
    const tesseract = await (this.#loaded ??= this.#load())
    try {
      return recognized(tesseract, picture, this.#trained.map(({ language }) => language).join('+'))
    } catch (error) {
      // What was thrown has passed through the WASM, which cannot be used again.
      this.#loaded = null
      throw error
    }
  }

  async #load(): Promise<Tesseract> {
    const { default: core } = await import('tesseract.js-core/tesseract-core-simd-lstm.js')
    const tesseract = await core({
      wasmBinary: await readFile(fileURLToPath(import.meta.resolve(`${CORE}.wasm`))),
      print: () => {},
      printErr: () => {},
      TesseractProgress: () => {
        if (performance.now() > this.#deadline) throw new OutOfTime('reading the words of a picture')
      },
    })
    for (const { language, path } of this.#trained)
      tesseract.FS.writeFile(`${language}.traineddata`, unpacked(await readFile(path)))
    return tesseract
  }
}

const unpacked = (file: Buffer): Uint8Array =>
  file[0] === 0x1f && file[1] === 0x8b ? gunzipSync(file) : file

/** An instance of its own for each picture: what was learnt from one must not change how the next is read. */
function recognized(tesseract: Tesseract, picture: GreyPicture, languages: string): Word[] {
  const api = new tesseract.TessBaseAPI()
  if (api.Init(null, languages, 1) !== 0) throw new Error(`no trained data for ${languages}`)
  api.SetPageSegMode(AUTOMATIC_LAYOUT)
  tesseract.FS.writeFile('/input', asPgm(picture))
  if (api.SetImageFile(1, 0) !== 0) throw new Error('the picture could not be handed over')
  // Letters come about 20 pixels high: so are those of 10 points at this resolution.
  api.SetVariable('user_defined_dpi', '200')
  if (api.Recognize(null) !== 0) throw new Error('the picture could not be read')
  const words = wordsOf(api.GetTSVText(0))
  tesseract.FS.unlink('/input')
  api.End()
  tesseract.destroy(api)
  return words
}

/** Portable graymap, the one format that Leptonica reads without a decoder. */
const asPgm = ({ width, height, pixels }: GreyPicture): Uint8Array =>
  Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`, 'latin1'), pixels])

/** Rows of level, page, block, paragraph, line, word, left, top, width, height, confidence, text; level 5 is a word. */
const wordsOf = (tsv: string): Word[] =>
  tsv.split('\n').flatMap((row) => {
    const [level, , block, paragraph, line, , , , , , confidence, text = ''] = row.split('\t')
    if (level !== '5' || text.trim() === '') return []
    return [
      {
        block: Number(block),
        paragraph: Number(paragraph),
        line: Number(line),
        text: text.trim(),
        confidence: Number(confidence),
      },
    ]
  })
