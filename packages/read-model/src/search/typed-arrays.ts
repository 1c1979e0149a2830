type Growable = Uint8Array | Uint16Array | Uint32Array | Float32Array | Float64Array | Int32Array

/** The array itself if it holds `length` elements, else a copy with room to spare. */
export function grown<A extends Growable>(array: A, length: number): A {
  if (length <= array.length) return array
  const larger = new (array.constructor as new (length: number) => A)(Math.max(length, array.length * 2, 64))
  larger.set(array)
  return larger
}
