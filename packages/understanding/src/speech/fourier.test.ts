import { expect, test } from 'vitest'
import { Fourier } from './fourier.ts'

test.each([[[5]], [[3, 4]], [[4, 4, 5, 5]]])('is the sum that defines it, of %j values', (factors) => {
  const fourier = new Fourier(...factors)
  const size = fourier.re.length
  for (let i = 0; i < size; i++) {
    fourier.re[i] = Math.sin(i * i) + i / size
    fourier.im[i] = Math.cos(3 * i)
  }
  fourier.transform()
  for (let k = 0; k < size; k++) {
    let [re, im] = [0, 0]
    for (let i = 0; i < size; i++) {
      const [cos, sin] = [Math.cos((2 * Math.PI * i * k) / size), -Math.sin((2 * Math.PI * i * k) / size)]
      re += fourier.re[i]! * cos - fourier.im[i]! * sin
      im += fourier.re[i]! * sin + fourier.im[i]! * cos
    }
    expect(fourier.outRe[k]).toBeCloseTo(re, 8)
    expect(fourier.outIm[k]).toBeCloseTo(im, 8)
  }
})
