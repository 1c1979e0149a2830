type Growable = Uint8Array | Uint16Array | Uint32Array | Float32Array | Float64Array | Int32Array

/** One after the other in an array of their own. */
export function joined(parts: readonly Uint32Array[]): Uint32Array {
  const all = new Uint32Array(parts.reduce((count, { length }) => count + length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

/** The array itself if it holds `length` elements, else a copy with room to spare. */
export function grown<A extends Growable>(array: A, length: number): A {
  if (length <= array.length) return array
  const larger = new (array.constructor as new (length: number) => A)(Math.max(length, array.length * 2, 64))
  larger.set(array)
  return larger
}
