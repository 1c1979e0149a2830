export const dot = (a: Float32Array, b: Float32Array): number => {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!
  return sum
}

/** The unit vector in the middle of unit vectors; null for none, or where they cancel out. */
export function centroid(vectors: readonly Float32Array[]): Float32Array | null {
  const first = vectors[0]
  if (!first) return null
  const sum = new Float64Array(first.length)
  for (const vector of vectors) for (let i = 0; i < sum.length; i++) sum[i]! += vector[i]!
  const length = Math.sqrt(sum.reduce((total, x) => total + x * x, 0))
  return length > 0 ? Float32Array.from(sum, (x) => x / length) : null
}

export const clamp = (value: number): number => Math.min(1, Math.max(0, value))
