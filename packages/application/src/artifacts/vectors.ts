import type { ItemVectors } from '../ports/understanding.ts'

/** `MLV` and the version of the layout. */
const MAGIC = 0x31_56_4c_4d
const HEADER_BYTES = 20
const FLOAT_BYTES = 4

/**
 * Little-endian, in this order: magic, dimensions, dimensions of the short vector, number of chunk vectors, bytes of
 * the model's name (u32 each); the name in UTF-8, zeros up to a multiple of four; then 32-bit floats: the combined
 * vector, the short one, the chunks' one after the other.
 */
export function encodeVectors({ model, dimensions, combined, short, chunks }: ItemVectors): Uint8Array {
  for (const vector of [combined, ...chunks])
    if (vector.length !== dimensions)
      throw new RangeError(`a vector of ${vector.length} instead of ${dimensions}`)
  const name = new TextEncoder().encode(model)
  const start = startOfFloats(name.length)
  const floats = dimensions * (1 + chunks.length) + short.length
  const view = new DataView(new ArrayBuffer(start + floats * FLOAT_BYTES))
  const header = [MAGIC, dimensions, short.length, chunks.length, name.length]
  header.forEach((value, index) => view.setUint32(index * 4, value, true))
  const bytes = new Uint8Array(view.buffer)
  bytes.set(name, HEADER_BYTES)
  let offset = start
  for (const vector of [combined, short, ...chunks])
    for (const value of vector) {
      view.setFloat32(offset, value, true)
      offset += FLOAT_BYTES
    }
  return bytes
}

/** Throws what `unreadable` makes of a reason. */
export function decodeVectors(bytes: Uint8Array, unreadable: (reason: string) => Error): ItemVectors {
  if (bytes.length < HEADER_BYTES) throw unreadable('is too short for a header')
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const [magic, dimensions, shortLength, chunkCount, nameLength] = Array.from({ length: 5 }, (_, index) =>
    view.getUint32(index * 4, true),
  ) as [number, number, number, number, number]
  if (magic !== MAGIC) throw unreadable('is not a file of vectors, or of a later release')
  const start = startOfFloats(nameLength)
  const floats = dimensions * (1 + chunkCount) + shortLength
  if (bytes.length !== start + floats * FLOAT_BYTES)
    throw unreadable('has another length than its header says')
  const model = new TextDecoder().decode(bytes.subarray(HEADER_BYTES, HEADER_BYTES + nameLength))

  let offset = start
  const next = (length: number): Float32Array => {
    const vector = new Float32Array(length)
    for (let index = 0; index < length; index++, offset += FLOAT_BYTES)
      vector[index] = view.getFloat32(offset, true)
    return vector
  }
  return {
    model,
    dimensions,
    combined: next(dimensions),
    short: next(shortLength),
    chunks: Array.from({ length: chunkCount }, () => next(dimensions)),
  }
}

const startOfFloats = (nameLength: number): number => HEADER_BYTES + Math.ceil(nameLength / 4) * 4
