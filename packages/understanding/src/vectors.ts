import type { Chunk, ItemVectors } from '@medialog/application/ports'

/** The head has a vector of its own among the chunks: here it only leans the passages' mean; docs/search.md. */
const HEAD_WEIGHT = 0.2
const SHORT_DIMENSIONS = 64
const SEED = 0x9e3779b9

/**
 * An item's vectors from its chunks' (unit length, head first, in the order of `chunks`).
 * combined: the weighted mean, unit length: the head 0.2, the passages 0.8 shared out by their length in characters.
 * short: 64 dimensions of it, see `project`, unit length.
 */
export function itemVectors(
  model: string,
  chunkVectors: readonly Float32Array[],
  chunks: readonly Pick<Chunk, 'text'>[],
): ItemVectors {
  const head = chunkVectors[0]
  if (!head || chunkVectors.length !== chunks.length)
    throw new RangeError(`${chunkVectors.length} vectors for ${chunks.length} chunks`)
  const combined = unit(weightedMean(chunkVectors, weights(chunks))) ?? head
  const short = unit(project(combined, SHORT_DIMENSIONS)) ?? firstAxis(SHORT_DIMENSIONS)
  return { model, dimensions: head.length, combined, short, chunks: [...chunkVectors] }
}

function weights(chunks: readonly Pick<Chunk, 'text'>[]): number[] {
  const passages = chunks.slice(1)
  const length = passages.reduce((sum, { text }) => sum + text.length, 0)
  return [HEAD_WEIGHT, ...passages.map(({ text }) => ((1 - HEAD_WEIGHT) * text.length) / Math.max(1, length))]
}

function weightedMean(vectors: readonly Float32Array[], weights: readonly number[]): Float64Array {
  const mean = new Float64Array(vectors[0]!.length)
  for (const [index, vector] of vectors.entries())
    for (let i = 0; i < mean.length; i++) mean[i]! += weights[index]! * vector[i]!
  return mean
}

/** Scaled to length 1; null for a vector without direction. */
function unit(vector: Float64Array): Float32Array | null {
  const length = Math.sqrt(vector.reduce((sum, x) => sum + x * x, 0))
  return length > 0 ? Float32Array.from(vector, (x) => x / length) : null
}

const firstAxis = (dimensions: number): Float32Array =>
  Float32Array.from({ length: dimensions }, (_, i) => (i === 0 ? 1 : 0))

/**
 * Random projection to `dimensions` numbers, which keeps angles about as they are (Johnson–Lindenstrauss). The matrix
 * holds ±1 (Achlioptas, "Database-friendly random projections", 2003) drawn by xorshift32 from a fixed seed, row by
 * row: the same on every machine, for ever, with nothing but integer arithmetic.
 */
export function project(vector: Float32Array, dimensions: number): Float64Array {
  const signs = projection(vector.length, dimensions)
  const out = new Float64Array(dimensions)
  for (let row = 0; row < dimensions; row++)
    for (let i = 0; i < vector.length; i++) out[row]! += signs[row * vector.length + i]! * vector[i]!
  return out
}

const projections = new Map<string, Int8Array>()

function projection(from: number, to: number): Int8Array {
  const known = projections.get(`${from}:${to}`)
  if (known) return known
  let state = SEED
  const signs = Int8Array.from({ length: from * to }, () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return state & 0x8000 ? 1 : -1
  })
  projections.set(`${from}:${to}`, signs)
  return signs
}
