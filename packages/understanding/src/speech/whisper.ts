import { join } from 'node:path'
import type { InferenceSession, TensorConstructor } from 'onnxruntime-common'
import type { Decoding } from './decoding.ts'
import { BANDS } from './mel.ts'
import {
  FIRST_LANGUAGE,
  LANGUAGES,
  NO_SPEECH,
  START,
  TRANSCRIBE,
  VOCABULARY,
  Vocabulary,
} from './vocabulary.ts'

/**
 * One thread, and one that does not spin: where other work keeps the cores busy, threads that wait for one another take ten
 * times as long.
 */
const OPTIONS = {
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  graphOptimizationLevel: 'all',
  extra: { session: { intra_op: { allow_spinning: '0' } } },
} as const

/** The files of a model. */
export const ENCODER = 'encoder.onnx'
export const DECODER = 'decoder.onnx'
export const TOKENS = 'tokens.bin'

/** The shape of Whisper base. */
const LAYERS = 6
const WIDTH = 512
/** Places in the decoder's context, and ids that may be said in a window. */
const PLACES = 448
const MOST_SAID = 224

/** Of one place and layer in a cache: keys and values. */
const A_PLACE = 2 * WIDTH

/** Whether there is speech at all, and how likely each language is: probabilities, the latter together 1. */
export interface Beginning {
  noSpeech: number
  languages: number[]
}

/** Whisper's encoder and decoder. It listens to one window at a time and holds its thread meanwhile. */
export class Whisper {
  readonly #vocabulary: Vocabulary
  readonly #encoder: InferenceSession
  readonly #decoder: InferenceSession
  readonly #Tensor: TensorConstructor
  /** Keys and values of what was said so far, a place after the other: the decoder reads and writes them here. */
  readonly #caches = Array.from({ length: LAYERS }, () => new Float32Array(PLACES * A_PLACE))
  readonly #logits = new Float32Array(VOCABULARY)
  /** What the encoder made of the window: keys and values by name. */
  #window: InferenceSession.ReturnType = {}

  private constructor(
    encoder: InferenceSession,
    decoder: InferenceSession,
    Tensor: TensorConstructor,
    vocabulary: Vocabulary,
  ) {
    this.#encoder = encoder
    this.#decoder = decoder
    this.#Tensor = Tensor
    this.#vocabulary = vocabulary
  }

  /** From a folder with the three files. @throws Error where a file is missing or not a model */
  static async open(folder: string): Promise<Whisper> {
    const { InferenceSession, Tensor } = await import('onnxruntime-node')
    const [encoder, decoder] = await Promise.all(
      [ENCODER, DECODER].map((file) => InferenceSession.create(join(folder, file), OPTIONS)),
    )
    return new Whisper(encoder!, decoder!, Tensor, await Vocabulary.read(join(folder, TOKENS)))
  }

  /** Takes in a window: `mel` is BANDS × `frames`, at most 3000 of them and an even number. */
  async listen(mel: Float32Array, frames: number): Promise<Beginning> {
    const input = new this.#Tensor('float32', mel, [1, BANDS, frames])
    this.#window = await this.#encoder.run({ mel: input }, WINDOW_NAMES)
    await this.#step([START], 0)
    const logits = this.#logits
    return {
      noSpeech: probabilitiesOf(logits)[NO_SPEECH]!,
      languages: Array.from(
        probabilitiesOf(logits.subarray(FIRST_LANGUAGE, FIRST_LANGUAGE + LANGUAGES.length)),
      ),
    }
  }

  /** What is said in the window that was taken in, in a language by its number in LANGUAGES; false where it was broken off. */
  async decode(language: number, decoding: Decoding): Promise<boolean> {
    let places = await this.#step([FIRST_LANGUAGE + language, TRANSCRIBE], 1)
    while (decoding.take(this.#logits)) {
      if (decoding.said.length >= MOST_SAID || places >= PLACES - 1 || decoding.isLoop) return false
      places = await this.#step([decoding.said.at(-1)!.id], places)
    }
    return true
  }

  textOf(ids: readonly number[]): string {
    return this.#vocabulary.textOf(ids)
  }

  /** Feeds ids behind so many `places`; the logits are those after the last. Answers how many places are taken then. */
  async #step(ids: number[], places: number): Promise<number> {
    const tensor = (values: Float32Array, dims: number[]) => new this.#Tensor('float32', values, dims)
    const [start, end] = [places * A_PLACE, (places + ids.length) * A_PLACE]
    const before = this.#caches.map((cache, layer) => [
      `p${layer}`,
      tensor(cache.subarray(0, start), [places, 2, 1, WIDTH]),
    ])
    const after = this.#caches.map((cache, layer) => [
      `n${layer}`,
      tensor(cache.subarray(start, end), [ids.length, 2, 1, WIDTH]),
    ])
    const input = new this.#Tensor('int64', BigInt64Array.from(ids, BigInt), [1, ids.length])
    await this.#decoder.run(
      { ...this.#window, ...Object.fromEntries(before), ids: input },
      { ...Object.fromEntries(after), logits: tensor(this.#logits, [1, VOCABULARY]) },
    )
    return places + ids.length
  }
}

const WINDOW_NAMES = Array.from({ length: LAYERS }, (_, layer) => [`k${layer}`, `v${layer}`]).flat()

function probabilitiesOf(logits: Float32Array): Float64Array {
  const top = logits.reduce((most, value) => Math.max(most, value), -Infinity)
  const powers = Float64Array.from(logits, (value) => Math.exp(value - top))
  const sum = powers.reduce((total, power) => total + power, 0)
  return powers.map((power) => power / sum)
}
