/**
 * A term is known by 56 bits of a hash of its text, never by the text: rows and caches then hold no word list that
 * could outlive an erased item, and loading an index decodes no strings. Two of a million terms share a hash with
 * a probability below 10⁻⁵; what shares one is counted as the same word.
 */
export interface Term {
  /** The low 32 bits. */
  low: number
  /** The high 24 bits. */
  high: number
}

/** Two lanes of 32 bits over the UTF-16 code units: cyrb53 (public domain, github.com/bryc), kept to 56 bits. */
export function termOf(text: string): Term {
  let a = 0xdeadbeef
  let b = 0x41c6ce57
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    a = Math.imul(a ^ unit, 2654435761)
    b = Math.imul(b ^ unit, 1597334677)
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909)
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909)
  return { low: a >>> 0, high: b >>> 8 }
}
