/**
 * The discrete Fourier transform of as many complex values as the product of its factors, for which small ones are fast:
 * J. W. Cooley, J. W. Tukey, "An Algorithm for the Machine Calculation of Complex Fourier Series", 1965, decimation in time.
 * `re` and `im` are what is transformed, `outRe` and `outIm` what comes out.
 */
export class Fourier {
  readonly re: Float64Array
  readonly im: Float64Array
  readonly outRe: Float64Array
  readonly outIm: Float64Array
  readonly #factors: readonly number[]
  /** Powers of the first root of unity: e^(−2πi·k/size). */
  readonly #rootRe: Float64Array
  readonly #rootIm: Float64Array
  readonly #partRe: Float64Array
  readonly #partIm: Float64Array

  constructor(...factors: number[]) {
    const size = factors.reduce((product, factor) => product * factor, 1)
    const zeros = (length: number) => new Float64Array(length)
    ;[this.re, this.im, this.outRe, this.outIm] = [zeros(size), zeros(size), zeros(size), zeros(size)]
    const largest = Math.max(...factors)
    ;[this.#partRe, this.#partIm] = [zeros(largest), zeros(largest)]
    this.#factors = factors
    this.#rootRe = zeros(size).map((_, k) => Math.cos((2 * Math.PI * k) / size))
    this.#rootIm = zeros(size).map((_, k) => -Math.sin((2 * Math.PI * k) / size))
  }

  transform(): void {
    this.#transform(0, 0, 1, 0)
  }

  /** Of every `stride`th value from `from` on, to `to` and what follows. */
  #transform(depth: number, from: number, stride: number, to: number): void {
    const factor = this.#factors[depth]!
    const length = this.re.length / stride / factor
    for (let part = 0; part < factor; part++) {
      const first = from + part * stride
      if (length > 1) this.#transform(depth + 1, first, stride * factor, to + part * length)
      else {
        this.outRe[to + part] = this.re[first]!
        this.outIm[to + part] = this.im[first]!
      }
    }
    for (let k = 0; k < length; k++) this.#combine(factor, length, stride, to + k, k)
  }

  /** The `factor` values of the parts at `at`, `length` apart, become values of the whole in the same places. */
  #combine(factor: number, length: number, stride: number, at: number, k: number): void {
    const { outRe, outIm } = this
    const [rootRe, rootIm, partRe, partIm] = [this.#rootRe, this.#rootIm, this.#partRe, this.#partIm]
    for (let part = 0; part < factor; part++) {
      partRe[part] = outRe[at + part * length]!
      partIm[part] = outIm[at + part * length]!
    }
    const size = rootRe.length
    for (let value = 0; value < factor; value++) {
      let re = partRe[0]!
      let im = partIm[0]!
      const step = (stride * (k + value * length)) % size
      for (let part = 1, root = step; part < factor; part++, root = (root + step) % size) {
        re += partRe[part]! * rootRe[root]! - partIm[part]! * rootIm[root]!
        im += partRe[part]! * rootIm[root]! + partIm[part]! * rootRe[root]!
      }
      outRe[at + value * length] = re
      outIm[at + value * length] = im
    }
  }
}
