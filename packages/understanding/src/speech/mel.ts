import { Fourier } from './fourier.ts'

/** Samples a second of everything that is listened to for speech, in one channel of 16 bits. */
export const RATE = 16_000
export const FRAMES_A_SECOND = 100
export const BANDS = 80

const HOP = RATE / FRAMES_A_SECOND
const WINDOW = 400
const BINS = WINDOW / 2 + 1
const FULL_SCALE = 32_768
/** What is below is silence. */
const QUIETEST = 1e-10
/** So far below the loudest the scale of a spectrum ends: log10 of the power. */
const DEPTH = 8

const HANN = Float64Array.from(
  { length: WINDOW },
  (_, i) => (0.5 - 0.5 * Math.cos((2 * Math.PI * i) / WINDOW)) / FULL_SCALE,
)

/** A triangle over bins of the spectrum: what each from the first on counts. */
interface Band {
  first: number
  weights: number[]
}

/** Slaney's mel scale: linear up to 1000 Hz, 15 mel; then logarithmic. Triangles of equal area. */
export const MEL_BANDS: readonly Band[] = (() => {
  const perMel = Math.log(6.4) / 27
  const hertzOf = (mel: number): number => (mel < 15 ? (mel * 200) / 3 : 1000 * Math.exp(perMel * (mel - 15)))
  const highest = 15 + Math.log(RATE / 2 / 1000) / perMel
  const edges = Array.from({ length: BANDS + 2 }, (_, i) => hertzOf((highest * i) / (BANDS + 1)))
  return Array.from({ length: BANDS }, (_, band) => {
    const [low, middle, high] = edges.slice(band, band + 3) as [number, number, number]
    const weights = Array.from({ length: BINS }, (_, bin) => {
      const hertz = (bin * RATE) / WINDOW
      const height = Math.min((hertz - low) / (middle - low), (high - hertz) / (high - middle))
      return (Math.max(0, height) * 2) / (high - low)
    })
    const first = weights.findIndex((weight) => weight > 0)
    return { first, weights: weights.slice(first, weights.findLastIndex((weight) => weight > 0) + 1) }
  })
})()

/**
 * Log10 of the power in each mel band, as Whisper was trained on it: `frames` frames of a hundredth of a second, band after
 * band; silence after the sound. Not scaled yet.
 */
export function logMel(sound: Int16Array, frames: number): Float32Array {
  const padded = mirrored(sound, frames * HOP)
  const mel = new Float32Array(BANDS * frames).fill(Math.log10(QUIETEST))
  const fourier = new Fourier(4, 4, 5, 5)
  const { re, im } = fourier
  const heard = Math.min(frames, Math.ceil((sound.length + WINDOW) / HOP))
  // Two frames of real values are one of complex ones.
  for (let frame = 0; frame < heard; frame += 2) {
    const start = frame * HOP
    for (let i = 0; i < WINDOW; i++) {
      re[i] = padded[start + i]! * HANN[i]!
      im[i] = padded[start + HOP + i]! * HANN[i]!
    }
    fourier.transform()
    writeBands(mel, frames, frame, powersOf(fourier, 1))
    if (frame + 1 < heard) writeBands(mel, frames, frame + 1, powersOf(fourier, -1))
  }
  return mel
}

/** The sound with silence up to `length`, half a window before and behind it mirrored, and room for a frame more. */
function mirrored(sound: Int16Array, length: number): Float32Array {
  const half = WINDOW / 2
  const padded = new Float32Array(half + length + half + HOP)
  padded.set(sound.subarray(0, length), half)
  for (let i = 1; i <= half; i++) {
    padded[half - i] = padded[half + i]!
    padded[half + length - 1 + i] = padded[half + length - 1 - i]!
  }
  return padded
}

/** The spectrum of the real part (1) or of the imaginary one (−1): the even and the odd part of the whole. */
function powersOf({ outRe, outIm }: Fourier, part: 1 | -1): Float64Array {
  const powers = new Float64Array(BINS)
  for (let bin = 0; bin < BINS; bin++) {
    const other = (WINDOW - bin) % WINDOW
    powers[bin] = ((outRe[bin]! + part * outRe[other]!) ** 2 + (outIm[bin]! - part * outIm[other]!) ** 2) / 4
  }
  return powers
}

function writeBands(mel: Float32Array, frames: number, frame: number, powers: Float64Array): void {
  for (const [band, { first, weights }] of MEL_BANDS.entries()) {
    let sum = 0
    for (let i = 0; i < weights.length; i++) sum += weights[i]! * powers[first + i]!
    mel[band * frames + frame] = Math.log10(Math.max(sum, QUIETEST))
  }
}

/** Whisper's scale, in place: 8 below the loudest is the floor. Answers the loudest of this and of what was `loudest` before. */
export function scale(mel: Float32Array, loudest: number): number {
  let top = loudest
  for (const value of mel) if (value > top) top = value
  for (let i = 0; i < mel.length; i++) mel[i] = (Math.max(mel[i]!, top - DEPTH) + 4) / 4
  return top
}
