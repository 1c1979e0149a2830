import { instantiate, type DecoderExports } from './module.ts'

/** A picture as it is shown, small: `rgb` holds three bytes a pixel, row by row. */
export interface Picture {
  rgb: Uint8Array
  width: number
  height: number
}

/** A decoded frame; `draw` gives it as long as no other was asked for. */
export interface Frame {
  /** Seconds from where the pictures begin. */
  time: number
  /** Pixels decoded, as stored. */
  pixels: number
  /** At most `side` pixels wide and high. @throws UndecodableMedia */
  draw(side: number): Picture
}

/** Samples from −1 to 1, one run a channel; they stay valid until the next are asked for. */
export type Sound = Float32Array[]

/** Why there is nothing to be seen or heard: no such stream, no decoder for its codec, damage. */
export class UndecodableMedia extends Error {
  readonly reason: 'absent' | 'codec' | 'damaged'

  constructor(reason: UndecodableMedia['reason']) {
    super(`media cannot be decoded: ${reason}`)
    this.name = 'UndecodableMedia'
    this.reason = reason
  }
}

const PICTURES = 0
const SOUND = 1
/** What the module answers. */
const MORE = 1
const AGAIN = 2
const NO_STREAM = -2
const NO_DECODER = -3

/** Pictures or sound of one file, decoded in this process: no file is opened, no native code runs. */
export class MediaDecoder {
  readonly #exports: DecoderExports

  private constructor(exports: DecoderExports) {
    this.#exports = exports
  }

  /**
   * @throws UndecodableMedia
   * @throws DecoderMissing
   */
  static open(bytes: Uint8Array, kind: 'pictures' | 'sound'): MediaDecoder {
    const exports = instantiate(bytes)
    if (exports.open_file(bytes.length) !== MORE) throw new UndecodableMedia('damaged')
    const opened = exports.open_stream(kind === 'pictures' ? PICTURES : SOUND)
    if (opened === NO_STREAM) throw new UndecodableMedia('absent')
    if (opened === NO_DECODER) throw new UndecodableMedia('codec')
    if (opened !== MORE) throw new UndecodableMedia('damaged')
    return new MediaDecoder(exports)
  }

  /** From the beginning once more. @throws UndecodableMedia */
  rewind(): void {
    if (this.#exports.rewind_stream() !== MORE) throw new UndecodableMedia('damaged')
  }

  /**
   * Pictures in the order in which they are shown; `null` stands for a while without any, so that the caller can give
   * up. With `every`, only those that stand by themselves, at least so many seconds apart.
   */
  *frames(every?: number): Generator<Frame | null> {
    const { next_picture: next, time_of_frame: timeOf } = this.#exports
    let from = -Infinity
    for (;;) {
      const got = next(every === undefined ? 0 : 1, from)
      if (got <= 0) return
      if (got === AGAIN) {
        yield null
        continue
      }
      const time = Math.max(0, timeOf())
      if (every !== undefined) from = time + every
      yield {
        time,
        pixels: this.#exports.width_of_frame() * this.#exports.height_of_frame(),
        draw: (side) => this.#draw(side),
      }
    }
  }

  /** A JPEG of a picture. @throws UndecodableMedia */
  compress({ rgb, width, height }: Picture): Uint8Array {
    const { reserve, release, compress, jpeg_data: jpegData } = this.#exports
    const block = reserve(rgb.length)
    if (block === 0) throw new UndecodableMedia('damaged')
    this.#bytes(block, rgb.length).set(rgb)
    const size = compress(block, width, height)
    release(block)
    if (size <= 0) throw new UndecodableMedia('damaged')
    return this.#bytes(jpegData(), size).slice()
  }

  /** Hertz. */
  get sampleRate(): number {
    return this.#exports.rate_of_sound()
  }

  /** What each channel counts in loudness, in their order. */
  get channelWeights(): number[] {
    const count = this.#exports.channels_of_sound()
    return Array.from({ length: count }, (_, channel) => this.#exports.weight_of_channel(channel))
  }

  /** Sound from beginning to end; `null` stands for a while without any. @throws UndecodableMedia */
  *sound(): Generator<Sound | null> {
    const { next_sound: next, sound_data: dataOf, samples_of_sound: samplesOf } = this.#exports
    const channels = this.#exports.channels_of_sound()
    for (;;) {
      const got = next()
      if (got === 0) return
      if (got < 0) throw new UndecodableMedia('damaged')
      if (got === AGAIN) {
        yield null
        continue
      }
      const [start, samples] = [dataOf(), samplesOf()]
      const { buffer } = this.#exports.memory
      yield Array.from(
        { length: channels },
        (_, channel) => new Float32Array(buffer, start + 4 * channel * samples, samples),
      )
    }
  }

  #draw(side: number): Picture {
    if (this.#exports.draw(side) !== MORE) throw new UndecodableMedia('damaged')
    const { width_of_picture: widthOf, height_of_picture: heightOf, picture_data: dataOf } = this.#exports
    const [width, height] = [widthOf(), heightOf()]
    return { rgb: this.#bytes(dataOf(), 3 * width * height).slice(), width, height }
  }

  #bytes(start: number, length: number): Uint8Array {
    return new Uint8Array(this.#exports.memory.buffer, start, length)
  }
}
