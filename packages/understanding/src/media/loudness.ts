import type { Loudness } from '@medialog/application/ports/understanding'
import { KWeightedChannel } from './k-weighting.ts'

/** Hundred milliseconds: a quarter of a gating block, by which blocks overlap. */
const STEPS_A_SECOND = 10
const STEPS_A_BLOCK = 4
const ABSOLUTE_GATE = -70
const RELATIVE_GATE = -10
const SILENT = 10 ** (-60 / 10)

/**
 * Integrated loudness after ITU-R BS.1770-5, annex 1 (EBU R 128): K-weighted mean squares of blocks of 400 ms every
 * 100 ms, those below −70 LUFS left out, then those more than 10 LU below the mean of the rest. With the sample peak and
 * the share of silence, by the unweighted mean square of 100 ms.
 */
export class LoudnessMeter {
  readonly #weights: readonly number[]
  readonly #channels: KWeightedChannel[]
  readonly #stepLength: number
  /** Of whole steps: weighted energy a sample, and of the loudest channel without the filter. */
  readonly #steps: { weighted: number; plain: number }[] = []
  #filled = 0
  #weighted = 0
  readonly #plain: Float64Array
  #peak = 0

  /** `weights`: what each channel counts (BS.1770-5, table 4). */
  constructor(rate: number, weights: readonly number[]) {
    this.#weights = weights
    this.#channels = weights.map(() => new KWeightedChannel(rate))
    this.#stepLength = Math.max(1, Math.round(rate / STEPS_A_SECOND))
    this.#plain = new Float64Array(weights.length)
  }

  /** Samples from −1 to 1, a run of equal length for each channel. */
  add(channels: readonly Float32Array[]): void {
    const length = channels[0]?.length ?? 0
    for (let at = 0; at < length;) {
      const end = Math.min(length, at + this.#stepLength - this.#filled)
      for (const [index, samples] of channels.entries()) this.#take(index, samples, at, end)
      this.#filled += end - at
      at = end
      if (this.#filled === this.#stepLength) this.#closeStep()
    }
  }

  /** Null before the first tenth of a second. */
  result(): Loudness | null {
    if (this.#steps.length === 0) return null
    const integrated = this.#integrated()
    const silent = this.#steps.filter(({ plain }) => plain < SILENT).length
    return {
      integrated: integrated === null ? null : tenths(integrated),
      peak: this.#peak > 0 ? tenths(20 * Math.log10(this.#peak)) : null,
      silence: Math.round((100 * silent) / this.#steps.length) / 100,
    }
  }

  #take(index: number, samples: Float32Array, from: number, to: number): void {
    this.#weighted += this.#weights[index]! * this.#channels[index]!.energy(samples, from, to)
    let sum = 0
    let peak = this.#peak
    for (let i = from; i < to; i++) {
      const x = samples[i]!
      sum += x * x
      const size = Math.abs(x)
      if (size > peak) peak = size
    }
    this.#plain[index]! += sum
    this.#peak = peak
  }

  #closeStep(): void {
    this.#steps.push({
      weighted: this.#weighted / this.#stepLength,
      plain: Math.max(...this.#plain) / this.#stepLength,
    })
    this.#weighted = 0
    this.#plain.fill(0)
    this.#filled = 0
  }

  #integrated(): number | null {
    const blocks: number[] = []
    for (let end = STEPS_A_BLOCK; end <= this.#steps.length; end++)
      blocks.push(mean(this.#steps.slice(end - STEPS_A_BLOCK, end).map(({ weighted }) => weighted)))
    const audible = blocks.filter((power) => loudness(power) > ABSOLUTE_GATE)
    if (audible.length === 0) return null
    const gate = loudness(mean(audible)) + RELATIVE_GATE
    return loudness(mean(audible.filter((power) => loudness(power) > gate)))
  }
}

const loudness = (power: number): number => -0.691 + 10 * Math.log10(power)

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

/** To a tenth of a dB, as exact as meters have to be. */
const tenths = (value: number): number => Math.round(value * 10) / 10
