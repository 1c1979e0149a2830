import type { AnalysedText } from '../analysis/analyzer.ts'
import type { Term } from '../analysis/term.ts'

/**
 * An item as the lexical index takes it in, kept ready in its row: analysing again at every load would take longer
 * than all the rest of loading. Unsigned 32-bit words, little-endian:
 *
 *     chunks, labels, then per chunk (length, distinct terms),
 *     then per chunk and term (low, high << 8 | frequency), then per label (low, high).
 */
export function encodeEntry(chunks: readonly AnalysedText[], labels: readonly Term[]): Uint8Array {
  const terms = chunks.reduce((sum, chunk) => sum + chunk.low.length, 0)
  const words = new Uint32Array(2 + 2 * (chunks.length + terms + labels.length))
  let at = 0
  const put = (first: number, second: number) => {
    words[at++] = first
    words[at++] = second
  }
  put(chunks.length, labels.length)
  for (const chunk of chunks) put(chunk.length, chunk.low.length)
  for (const chunk of chunks) {
    for (let index = 0; index < chunk.low.length; index++) {
      put(chunk.low[index]!, ((chunk.high[index]! << 8) | chunk.frequency[index]!) >>> 0)
    }
  }
  for (const label of labels) put(label.low, label.high)
  return new Uint8Array(words.buffer)
}

/** What an encoded entry holds. `term` is called for every chunk and term, in order of chunks. */
interface EntryReader {
  chunk(ordinal: number, length: number): void
  term(ordinal: number, low: number, high: number, frequency: number): void
  label(low: number, high: number): void
}

export function readEntry(entry: Uint8Array, reader: EntryReader): void {
  const words = aligned(entry)
  const chunks = words[0]!
  const labels = words[1]!
  let at = 2 + 2 * chunks
  for (let ordinal = 0; ordinal < chunks; ordinal++) {
    reader.chunk(ordinal, words[2 + 2 * ordinal]!)
    const end = at + 2 * words[3 + 2 * ordinal]!
    for (; at < end; at += 2) {
      const packed = words[at + 1]!
      reader.term(ordinal, words[at]!, packed >>> 8, packed & 255)
    }
  }
  for (const end = at + 2 * labels; at < end; at += 2) reader.label(words[at]!, words[at + 1]!)
}

/** @throws RangeError for an entry whose parts are not as long as it says */
export function chunkCount(entry: Uint8Array): number {
  const words = aligned(entry)
  const chunks = words[0] ?? 0
  let pairs = 1 + chunks + (words[1] ?? 0)
  for (let ordinal = 0; ordinal < chunks && pairs * 2 <= words.length; ordinal++)
    pairs += words[3 + 2 * ordinal]!
  if (pairs * 2 !== words.length) throw new RangeError('an entry is not as long as its parts')
  return chunks
}

const aligned = (bytes: Uint8Array): Uint32Array =>
  bytes.byteOffset % 4 === 0
    ? new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4)
    : new Uint32Array(bytes.slice().buffer)
