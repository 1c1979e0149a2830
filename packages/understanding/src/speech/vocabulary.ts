import { readFile } from 'node:fs/promises'

/** Ids below are text; this one ends it, and the others are about it. */
export const END = 50_257
export const START = 50_258
export const FIRST_LANGUAGE = 50_259
export const TRANSCRIBE = 50_359
export const NO_SPEECH = 50_362
/** A stamp: the beginning of the window. Each further one is a fiftieth of a second later, up to half a minute. */
export const FIRST_STAMP = 50_364
export const VOCABULARY = 51_865
export const STAMPS_A_SECOND = 50
/** The languages that the model distinguishes, in the order of their ids: ISO 639-1, or what the model calls them. */
export const LANGUAGES =
  'en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi ml cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc ka be tg sd gu am yi lo uz fo ht ps tk nn mt sa lb my bo tl mg as tt haw ln ha ba jw su'.split(
    ' ',
  )

/** A space: no text begins with it alone. */
export const SPACE = 220
/** Of the model's own configuration: brackets, notes and other signs that are never said. */
const NEVER_SAID = [
  1, 2, 7, 8, 9, 10, 14, 25, 26, 27, 28, 29, 31, 58, 59, 60, 61, 62, 63, 90, 91, 92, 93, 359, 503, 522, 542,
  873, 893, 902, 918, 922, 931, 1350, 1853, 1982, 2460, 2627, 3246, 3253, 3268, 3536, 3846, 3961, 4183, 4667,
  6585, 6647, 7273, 9061, 9383, 10428, 10929, 11938, 12033, 12331, 12562, 13793, 14157, 14635, 15265, 15618,
  16553, 16604, 18362, 18956, 20075, 21675, 22520, 26130, 26161, 26435, 28279, 29464, 31650, 32302, 32470,
  36865, 42863, 47425, 49870, 50254,
]

/** Of each id of text, 1 where it may be said. */
export const SAYABLE: Uint8Array = new Uint8Array(END).fill(1)
for (const id of NEVER_SAID) SAYABLE[id] = 0

/** The bytes that ids of text stand for: a character may need several. */
export class Vocabulary {
  readonly #bytes: Buffer[]

  private constructor(bytes: Buffer[]) {
    this.#bytes = bytes
  }

  /** From a file that holds the bytes of one id after the other, each behind their number in one byte. @throws Error for another file */
  static async read(path: string): Promise<Vocabulary> {
    const file = await readFile(path)
    const bytes: Buffer[] = []
    for (let at = 0; at < file.length; at += 1 + file[at]!)
      bytes.push(file.subarray(at + 1, at + 1 + file[at]!))
    if (bytes.length !== END) throw new Error(`${path} has ${bytes.length} entries: Whisper has ${END}`)
    return new Vocabulary(bytes)
  }

  textOf(ids: readonly number[]): string {
    return Buffer.concat(ids.flatMap((id) => this.#bytes[id] ?? [])).toString('utf8')
  }
}
