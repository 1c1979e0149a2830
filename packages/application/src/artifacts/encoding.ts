import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { ArtifactStore, IngestRef } from '../ports/artifact-store.ts'
import type { ItemVectors, Understood } from '../ports/understanding.ts'
import { describedSchema } from './described.ts'
import { decodeVectors, encodeVectors } from './vectors.ts'

/** Everything in words: extraction, enrichment, chunks. JSON. */
const WORDS = 'understood.json'
/** All vectors: see vectors.ts. Those that came later have a name of their own: both are there for a moment. */
const VECTORS = 'vectors.bin'
const LATER_VECTORS = /^vectors-[0-9a-f]{16}\.bin$/
/** The pictures of a video's key frames: JSON, an array of JPEG files in base64. Other media have none. */
const THUMBNAILS = 'key-frames.json'

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
  const { vectors, thumbnails, ...described } = understood
  // Parsed on the way out too: keys come in the order of the schema, whoever made them.
  const words = JSON.stringify(describedSchema.parse(described))
  return [
    { name: WORDS, bytes: new TextEncoder().encode(words) },
    { name: VECTORS, bytes: encodeVectors(vectors) },
    ...(thumbnails ? [{ name: THUMBNAILS, bytes: encodeThumbnails(thumbnails) }] : []),
  ]
}

/** Vectors that take the place of an ingest's, under a name that their model decides. */
export const encodeReembedded = (vectors: ItemVectors): { name: string; bytes: Uint8Array } => ({
  name: `vectors-${createHash('sha256').update(vectors.model).digest('hex').slice(0, 16)}.bin`,
  bytes: encodeVectors(vectors),
})

/** Whether vectors are in the artifact of that name. */
export const isOfVectors = (name: string): boolean => name === VECTORS || LATER_VECTORS.test(name)

/** What `encodeUnderstood` was given, from its files by name. @throws UnreadableArtifact */
export function decodeUnderstood(files: ReadonlyMap<string, Uint8Array>): Understood {
  const described = decodeWords(fileOf(files, WORDS))
  const name = files.keys().find(isOfVectors) ?? VECTORS
  const vectors = decodeVectors(fileOf(files, name), (reason) => new UnreadableArtifact(name, reason))
  if (vectors.chunks.length !== described.chunks.length)
    throw new UnreadableArtifact(
      name,
      `${vectors.chunks.length} vectors for ${described.chunks.length} chunks`,
    )
  const thumbnails = files.get(THUMBNAILS)
  return { ...described, vectors, ...(thumbnails && { thumbnails: decodeThumbnails(thumbnails) }) }
}

/** All that is stored of an ingest; null where not all of it is there, or is no longer read. */
export async function readUnderstood(
  artifacts: Pick<ArtifactStore, 'get'>,
  ingest: IngestRef,
): Promise<Understood | null> {
  const files = new Map<string, Uint8Array>()
  for (const name of [WORDS, VECTORS, THUMBNAILS]) {
    const bytes = await artifacts.get(ingest, name)
    if (bytes) files.set(name, bytes)
    // Mostly the first is not there: nothing was stored of a new ingest.
    else if (name !== THUMBNAILS) return null
  }
  try {
    const understood = decodeUnderstood(files)
    const { facts } = understood.extraction
    const isWithoutPictures = facts.mediaType === 'video' && facts.keyFrames && !understood.thumbnails
    return isWithoutPictures ? null : understood
  } catch (error) {
    if (error instanceof UnreadableArtifact) return null
    throw error
  }
}

/** The pictures of a video's key frames, from the store; null where the ingest has none that can be read. */
export async function readThumbnails(
  artifacts: Pick<ArtifactStore, 'get'>,
  ingest: IngestRef,
): Promise<Uint8Array[] | null> {
  const bytes = await artifacts.get(ingest, THUMBNAILS)
  try {
    return bytes && decodeThumbnails(bytes)
  } catch (error) {
    // The item is whole without them: nobody is refused its text for a damaged picture.
    if (error instanceof UnreadableArtifact) return null
    throw error
  }
}

const encodeThumbnails = (thumbnails: readonly Uint8Array[]): Uint8Array =>
  new TextEncoder().encode(JSON.stringify(thumbnails.map((jpeg) => Buffer.from(jpeg).toString('base64'))))

function decodeThumbnails(bytes: Uint8Array): Uint8Array[] {
  try {
    return thumbnailsSchema
      .parse(JSON.parse(new TextDecoder().decode(bytes)))
      .map((jpeg) => new Uint8Array(Buffer.from(jpeg, 'base64')))
  } catch (cause) {
    throw new UnreadableArtifact(THUMBNAILS, 'are not pictures of key frames', { cause })
  }
}

const thumbnailsSchema = z.array(z.base64())

function fileOf(files: ReadonlyMap<string, Uint8Array>, name: string): Uint8Array {
  const bytes = files.get(name)
  if (!bytes) throw new UnreadableArtifact(name, 'is not there')
  return bytes
}

function decodeWords(bytes: Uint8Array): Omit<Understood, 'vectors' | 'thumbnails'> {
  try {
    return describedSchema.parse(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)))
  } catch (cause) {
    throw new UnreadableArtifact(WORDS, 'is not an understood file', { cause })
  }
}
