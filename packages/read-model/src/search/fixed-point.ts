/** What 1 becomes in fixed point. By Cauchy and Schwarz a product of two unit vectors then stays below 2³¹. */
export const ONE = 32_767

/** Size of a signature: one bit a dimension, in steps that the kernel takes. */
export const signatureBytes = (dimensions: number): number => Math.ceil(dimensions / 384) * 48
/** Size of a vector of 16-bit numbers, in steps that the kernel takes. */
export const vectorBytes = (dimensions: number): number => Math.ceil(dimensions / 32) * 64
export const encodedBytes = (dimensions: number): number =>
  signatureBytes(dimensions) + vectorBytes(dimensions)

/**
 * Unit vectors as search compares them, one after the other: each first as a signature (bit i of it tells whether
 * number i is above 0), then in 16-bit fixed point, little-endian. Kept in rows, so that loading an index is copying.
 */
export function encodeVectors(vectors: readonly Float32Array[], dimensions: number): Uint8Array {
  const size = encodedBytes(dimensions)
  const bytes = new Uint8Array(vectors.length * size)
  const shorts = new Int16Array(bytes.buffer)
  vectors.forEach((vector, place) => {
    const signature = place * size
    const first = (signature + signatureBytes(dimensions)) / 2
    for (let index = 0; index < vector.length; index++) {
      const value = vector[index]!
      shorts[first + index] = Math.round(value * ONE)
      if (value > 0) bytes[signature + (index >>> 3)]! |= 1 << (index & 7)
    }
  })
  return bytes
}
