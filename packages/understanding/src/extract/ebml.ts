/** An element of EBML (RFC 8794), the form of WebM. */
export interface Element {
  id: number
  /** Where its data starts. */
  start: number
  /** Bytes of data; null where it is open: live recordings end when they end. */
  length: number | null
}

/** The element at a place; null where none can be. */
export function elementAt(file: Buffer, at: number): Element | null {
  const idWidth = widthAt(file, at)
  const lengthAt = at + idWidth
  const lengthWidth = widthAt(file, lengthAt)
  const start = lengthAt + lengthWidth
  if (idWidth > 4 || lengthWidth > 8 || start > file.length) return null
  const ones = 2n ** BigInt(7 * lengthWidth) - 1n
  const stated = BigInt(`0x${file.toString('hex', lengthAt, start)}`) & ones
  return {
    id: file.readUIntBE(at, idWidth),
    start,
    length: stated === ones ? null : Number(stated),
  }
}

/** A number's first byte has as many zeros in front as bytes follow. */
const widthAt = (file: Buffer, at: number): number => Math.clz32(file[at] ?? 0) - 23

/** All elements in order; into those of `opened` it goes, others it passes over. */
export function* elementsOf(file: Buffer, opened: ReadonlySet<number>): Generator<Element> {
  for (let element = elementAt(file, 0); element;) {
    yield element
    const { id, start, length } = element
    element = opened.has(id)
      ? elementAt(file, start)
      : length === null
        ? null
        : elementAt(file, start + length)
  }
}
