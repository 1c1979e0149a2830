import type { Understood } from '../ports/understanding.ts'
import { describedSchema } from './described.ts'
import { decodeVectors, encodeVectors } from './vectors.ts'

/** Everything in words: extraction, enrichment, chunks. JSON. */
const WORDS = 'understood.json'
/** All vectors: see vectors.ts. */
const VECTORS = 'vectors.bin'

/** The artifacts of an ingest that holds all of them. */
export const UNDERSTOOD_ARTIFACTS = [WORDS, VECTORS] as const

/** An artifact that is not what this release or an earlier one wrote. */
export class UnreadableArtifact extends Error {
  constructor(name: string, reason: string, options?: ErrorOptions) {
    super(`${name}: ${reason}`, options)
    this.name = 'UnreadableArtifact'
  }
}

/**
 * The artifacts of one ingest. The same value gives the same bytes. Throws ZodError on what could not be read back
 * (a number that JSON does not know), so that nothing unreadable is ever recorded.
 */
export function encodeUnderstood(understood: Understood): { name: string; bytes: Uint8Array }[] {
  const { vectors, ...described } = understood
  // Parsed on the way out too: keys come in the order of the schema, whoever made them.
  const words = JSON.stringify(describedSchema.parse(described))
  return [
    { name: WORDS, bytes: new TextEncoder().encode(words) },
    { name: VECTORS, bytes: encodeVectors(vectors) },
  ]
}

/** What `encodeUnderstood` was given, from its files by name. @throws UnreadableArtifact */
export function decodeUnderstood(files: ReadonlyMap<string, Uint8Array>): Understood {
  const described = decodeWords(fileOf(files, WORDS))
  const vectors = decodeVectors(fileOf(files, VECTORS), (reason) => new UnreadableArtifact(VECTORS, reason))
  if (vectors.chunks.length !== described.chunks.length)
    throw new UnreadableArtifact(
      VECTORS,
      `${vectors.chunks.length} vectors for ${described.chunks.length} chunks`,
    )
  return { ...described, vectors }
}

function fileOf(files: ReadonlyMap<string, Uint8Array>, name: string): Uint8Array {
  const bytes = files.get(name)
  if (!bytes) throw new UnreadableArtifact(name, 'is not there')
  return bytes
}

function decodeWords(bytes: Uint8Array): Omit<Understood, 'vectors'> {
  try {
    return describedSchema.parse(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)))
  } catch (cause) {
    throw new UnreadableArtifact(WORDS, 'is not an understood file', { cause })
  }
}
