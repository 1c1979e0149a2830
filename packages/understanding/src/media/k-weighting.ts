/** A filter of second order: coefficients with a0 = 1. */
interface Biquad {
  b0: number
  b1: number
  b2: number
  a1: number
  a2: number
}

/**
 * The two filters of K-weighting for any sampling rate (Hz): a shelf for the head, a high pass. ITU-R BS.1770-5, annex 1,
 * tables 1 and 2 give coefficients for 48 kHz; these are the analogue filters behind them, found by the bilinear
 * transform (Mansbridge, Finn, Reiss: "Implementation and Evaluation of Autonomous Multi-track Fader Control", AES 132,
 * 2012), which give the same numbers at 48 kHz.
 */
export function kWeighting(rate: number): [shelf: Biquad, highPass: Biquad] {
  return [shelf(rate), highPass(rate)]
}

function shelf(rate: number): Biquad {
  const k = Math.tan((Math.PI * 1681.974450955533) / rate)
  const q = 0.7071752369554196
  const high = 10 ** (3.999843853973347 / 20)
  const band = high ** 0.4996667741545416
  const a0 = 1 + k / q + k * k
  return {
    b0: (high + (band * k) / q + k * k) / a0,
    b1: (2 * (k * k - high)) / a0,
    b2: (high - (band * k) / q + k * k) / a0,
    a1: (2 * (k * k - 1)) / a0,
    a2: (1 - k / q + k * k) / a0,
  }
}

function highPass(rate: number): Biquad {
  const k = Math.tan((Math.PI * 38.13547087602444) / rate)
  const q = 0.5003270373238773
  const a0 = 1 + k / q + k * k
  return { b0: 1, b1: -2, b2: 1, a1: (2 * (k * k - 1)) / a0, a2: (1 - k / q + k * k) / a0 }
}

/** One channel's K-weighting, sample after sample. */
export class KWeightedChannel {
  readonly #shelf: Biquad
  readonly #highPass: Biquad
  /** Delay lines of the filters, direct form II transposed. */
  readonly #delayed = new Float64Array(4)

  constructor(rate: number) {
    ;[this.#shelf, this.#highPass] = kWeighting(rate)
  }

  /** The sum of the squares of what comes out for `samples[from]` up to `samples[to]`. */
  energy(samples: Float32Array, from: number, to: number): number {
    const { b0, b1, b2, a1, a2 } = this.#shelf
    const { a1: c1, a2: c2 } = this.#highPass
    let [d0, d1, e0, e1] = this.#delayed as unknown as [number, number, number, number]
    let sum = 0
    for (let i = from; i < to; i++) {
      const x = samples[i]!
      const y = b0 * x + d0
      d0 = b1 * x - a1 * y + d1
      d1 = b2 * x - a2 * y
      const z = y + e0
      e0 = -2 * y - c1 * z + e1
      e1 = y - c2 * z
      sum += z * z
    }
    this.#delayed.set([d0, d1, e0, e1])
    return sum
  }
}
