import type { EmbeddingModel } from './model.ts'

/** What a model gave: numbers in row-major order, and how many along each axis. */
export interface Output {
  data: Float32Array
  dims: readonly number[]
}

/**
 * One text's vector, unit length, from the model's output: `[1, tokens, dimensions]`, or `[1, dimensions]` (or only
 * `[dimensions]`) where the model pools by itself. @throws Error where that is not its shape, or it has no direction
 */
export function pooled(
  { data, dims }: Output,
  { pooling, dimensions }: Pick<EmbeddingModel, 'pooling' | 'dimensions'>,
): Float32Array<ArrayBuffer> {
  const isPooled = dims.length < 3
  const isAsSaid =
    dims.at(-1) === dimensions && isPooled === (pooling === 'none') && dims.slice(0, -2).every((n) => n === 1)
  if (!isAsSaid || (isPooled && data.length !== dimensions))
    throw new Error(
      `its output has the shape [${dims.join(', ')}], which is not one of ${dimensions} dimensions with pooling "${pooling}"`,
    )
  if (pooling === 'mean') return unit(mean(data, dimensions))
  // A copy: the runtime owns the memory of its output.
  return unit(Float32Array.from(data.subarray(0, dimensions)))
}

function mean(data: Float32Array, dimensions: number): Float32Array<ArrayBuffer> {
  const sums = new Float64Array(dimensions)
  for (let at = 0; at < data.length; at++) sums[at % dimensions]! += data[at]!
  return Float32Array.from(sums, (sum) => (sum * dimensions) / data.length)
}

/** As it is where the model did it already. */
function unit(vector: Float32Array<ArrayBuffer>): Float32Array<ArrayBuffer> {
  const length = Math.sqrt(vector.reduce((sum, x) => sum + x * x, 0))
  if (!(length > 0 && length < Infinity)) throw new Error('it gives a text a vector without direction')
  return Math.abs(length - 1) < 1e-4 ? vector : vector.map((x) => x / length)
}
