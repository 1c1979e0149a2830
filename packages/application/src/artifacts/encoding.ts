import { createHash, hash } from 'node:crypto'
import { z } from 'zod'
import type { ArtifactStore, IngestRef } from '../ports/artifact-store.ts'
import type { Facts, ItemVectors, Understood } from '../ports/understanding.ts'
import { describedSchema } from './described.ts'
import { decodeVectors, encodeVectors } from './vectors.ts'

/**
 * Names of an ingest's artifacts. The 16 digits are of a digest of all that were made together, so that two attempts at the same
 * ingest never write different bytes under one name; artifacts of earlier releases have none.
 */
const KINDS = {
  /** Everything in words: extraction, enrichment, chunks. JSON. */
  words: /^understood(?:-([0-9a-f]{16}))?\.json$/,
  /** All vectors: see vectors.ts. Those that came later have the digits of their model: both are there for a moment. */
  vectors: /^vectors(?:-([0-9a-f]{16}))?\.bin$/,
  /** The pictures of a video's key frames, or an image's preview: JSON, an array of JPEG files in base64. */
  thumbnails: /^key-frames(?:-([0-9a-f]{16}))?\.json$/,
}
type Kind = keyof typeof KINDS

const isOf = (kind: Kind, name: string): boolean => KINDS[kind].test(name)

const nameOf = (kind: Kind, digits: string): string =>
  ({
    words: `understood-${digits}.json`,
    vectors: `vectors-${digits}.bin`,
    thumbnails: `key-frames-${digits}.json`,
  })[kind]

const digitsOf = (...parts: (string | Uint8Array)[]): string =>
  parts
    .reduce((digest, part) => digest.update(hash('sha256', part)), createHash('sha256'))
    .digest('hex')
    .slice(0, 16)

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
  // Parsed on the way out too: keys come in the order of the schema.
  const words = JSON.stringify(describedSchema.parse(described))
  const parts: [Kind, Uint8Array][] = [
    ['words', new TextEncoder().encode(words)],
    ['vectors', encodeVectors(vectors)],
    ...(thumbnails ? [['thumbnails', encodeThumbnails(thumbnails)] satisfies [Kind, Uint8Array]] : []),
  ]
  const digits = digitsOf(...parts.map(([, bytes]) => bytes))
  return parts.map(([kind, bytes]) => ({ name: nameOf(kind, digits), bytes }))
}

/** Vectors that take the place of an ingest's, under a name that their model decides. */
export const encodeReembedded = (vectors: ItemVectors): { name: string; bytes: Uint8Array } => ({
  name: nameOf('vectors', digitsOf(vectors.model)),
  bytes: encodeVectors(vectors),
})

/** Whether vectors are in the artifact of that name. */
export const isOfVectors = (name: string): boolean => isOf('vectors', name)

/** What `encodeUnderstood` was given, from its files by name. @throws UnreadableArtifact */
export function decodeUnderstood(files: ReadonlyMap<string, Uint8Array>): Understood {
  const described = decodeWords(...fileOf(files, 'words'))
  const [name, bytes] = fileOf(files, 'vectors')
  const vectors = decodeVectors(bytes, (reason) => new UnreadableArtifact(name, reason))
  if (vectors.chunks.length !== described.chunks.length)
    throw new UnreadableArtifact(
      name,
      `${vectors.chunks.length} vectors for ${described.chunks.length} chunks`,
    )
  const pictures = files.entries().find(([name]) => isOf('thumbnails', name))
  return { ...described, vectors, ...(pictures && { thumbnails: decodeThumbnails(...pictures) }) }
}

/** What an attempt has stored of an ingest; null where none has stored all of it, or it is no longer read. */
export async function readUnderstood(
  artifacts: Pick<ArtifactStore, 'get' | 'names'>,
  ingest: IngestRef,
): Promise<Understood | null> {
  for (const names of togetherMade(await artifacts.names(ingest))) {
    const understood = await readTogether(artifacts, ingest, names)
    if (understood) return understood
  }
  return null
}

/** Names by the digits that they share: what one attempt has made. */
function togetherMade(names: readonly string[]): Iterable<string[]> {
  const attempts = new Map<string, string[]>()
  for (const name of names)
    for (const kind of Object.values(KINDS)) {
      const digits = kind.exec(name)?.[1]
      if (digits !== undefined) attempts.set(digits, [...(attempts.get(digits) ?? []), name])
    }
  return attempts.values()
}

async function readTogether(
  artifacts: Pick<ArtifactStore, 'get'>,
  ingest: IngestRef,
  names: readonly string[],
): Promise<Understood | null> {
  const files = new Map<string, Uint8Array>()
  for (const name of names) {
    const bytes = await artifacts.get(ingest, name)
    if (bytes) files.set(name, bytes)
  }
  try {
    const understood = decodeUnderstood(files)
    const { facts } = understood.extraction
    return hasThumbnails(facts) && !understood.thumbnails ? null : understood
  } catch (error) {
    if (error instanceof UnreadableArtifact) return null
    throw error
  }
}

/** Whether pictures are kept with an item of these facts. */
export const hasThumbnails = (facts: Facts): boolean =>
  (facts.mediaType === 'video' && facts.keyFrames !== undefined) ||
  (facts.mediaType === 'image' && facts.preview !== undefined)

/**
 * The pictures that are kept with an item, from the store; null where the ingest has none that can be read. `names`: of the
 * artifacts that it rests on.
 */
export async function readThumbnails(
  artifacts: Pick<ArtifactStore, 'get'>,
  ingest: IngestRef,
  names: readonly string[],
): Promise<Uint8Array[] | null> {
  const name = names.find((name) => isOf('thumbnails', name))
  const bytes = name === undefined ? null : await artifacts.get(ingest, name)
  try {
    return bytes && decodeThumbnails(name!, bytes)
  } catch (error) {
    // The item is complete without them: a damaged picture does not make its text unreadable.
    if (error instanceof UnreadableArtifact) return null
    throw error
  }
}

const encodeThumbnails = (thumbnails: readonly Uint8Array[]): Uint8Array =>
  new TextEncoder().encode(JSON.stringify(thumbnails.map((jpeg) => Buffer.from(jpeg).toString('base64'))))

function decodeThumbnails(name: string, bytes: Uint8Array): Uint8Array[] {
  try {
    return thumbnailsSchema
      .parse(JSON.parse(new TextDecoder().decode(bytes)))
      .map((jpeg) => new Uint8Array(Buffer.from(jpeg, 'base64')))
  } catch (cause) {
    throw new UnreadableArtifact(name, 'are not pictures', { cause })
  }
}

const thumbnailsSchema = z.array(z.base64())

function fileOf(files: ReadonlyMap<string, Uint8Array>, kind: Kind): [name: string, bytes: Uint8Array] {
  const found = files.entries().find(([name]) => isOf(kind, name))
  if (!found) throw new UnreadableArtifact(kind, 'are not there')
  return found
}

function decodeWords(name: string, bytes: Uint8Array): Omit<Understood, 'vectors' | 'thumbnails'> {
  try {
    return describedSchema.parse(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)))
  } catch (cause) {
    throw new UnreadableArtifact(name, 'is not an understood file', { cause })
  }
}
