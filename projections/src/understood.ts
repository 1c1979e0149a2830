import { createHash } from 'node:crypto'
import { decodeUnderstood } from '@medialog/application/artifacts/encoding'
import type { Facts, IngestRef, ItemVectors, Understood } from '@medialog/application/ports'
import { decodeRecorded, isKnownEvent } from '@medialog/contract'
import type { MediaEvent } from '@medialog/domain'
import type { MediaType, RecordedEvent, Uuid } from '@medialog/kernel'
import { ProjectionStopped, type ProjectionContext } from './projection.ts'

type Recorded = Extract<MediaEvent, { type: 'MediaIngested' | 'MediaOverwritten' }>
type Embedded = Recorded | Extract<MediaEvent, { type: 'MediaReembedded' }>

/**
 * What is known of an ingest, from its artifacts, checked against the digests in its event. Of one which a later event
 * of its stream deletes or replaces it is nothing at all, whether its artifacts were erased yet or not. Vectors that a
 * later event replaced may be gone: then they are the later ones already, as they will be in the end.
 * @throws ProjectionStopped
 */
export async function loadUnderstood(
  recorded: RecordedEvent,
  event: Recorded,
  mediaId: Uuid,
  context: ProjectionContext,
): Promise<Understood> {
  const files = await loadFiles(recorded, event, mediaId, context)
  return files === null ? nothingOf(event) : decoded(recorded, files)
}

/** The vectors of an ingest that was embedded again, in the same way; null of one that is superseded. @throws ProjectionStopped */
export async function loadVectors(
  recorded: RecordedEvent,
  event: Extract<MediaEvent, { type: 'MediaReembedded' }>,
  mediaId: Uuid,
  context: ProjectionContext,
): Promise<ItemVectors | null> {
  const files = await loadFiles(recorded, event, mediaId, context)
  return files && decoded(recorded, files).vectors
}

function decoded(recorded: RecordedEvent, files: ReadonlyMap<string, Uint8Array>): Understood {
  try {
    return decodeUnderstood(files)
  } catch (cause) {
    throw new ProjectionStopped(recorded, (cause as Error).message, { cause })
  }
}

/** The files of the first of its events from this one on that are as recorded; null where it is superseded. */
async function loadFiles(
  recorded: RecordedEvent,
  event: Embedded,
  mediaId: Uuid,
  context: ProjectionContext,
): Promise<Map<string, Uint8Array> | null> {
  const ingest = { accountId: event.accountId, mediaId, ingestId: event.ingestId }
  if ((await laterOf(recorded, event.ingestId, context)).isSuperseded) return null
  const { files, problem } = await load(ingest, event, context)
  if (problem === null) return files
  // Once more after the look for the artifacts: erasing comes after the event that allows it.
  const later = await laterOf(recorded, event.ingestId, context)
  if (later.isSuperseded) return null
  for (const next of later.embedded) {
    const loaded = await load(ingest, next, context)
    if (loaded.problem === null) return loaded.files
  }
  throw new ProjectionStopped(recorded, problem)
}

/** `problem`: what is wrong with one of them, or null. */
async function load(
  ingest: IngestRef,
  { artifacts }: Embedded,
  context: ProjectionContext,
): Promise<{ files: Map<string, Uint8Array>; problem: string | null }> {
  const files = new Map<string, Uint8Array>()
  const names = Object.keys(artifacts)
  const loaded = await Promise.all(names.map((name) => context.artifacts.get(ingest, name)))
  for (const [index, name] of names.entries()) {
    const bytes = loaded[index]
    if (!bytes) return { files, problem: `the artifact ${name} of a living item is missing` }
    const { sha256, size } = artifacts[name]!
    if (bytes.byteLength !== size || createHash('sha256').update(bytes).digest('hex') !== sha256)
      return { files, problem: `the artifact ${name} is not what was recorded` }
    files.set(name, bytes)
  }
  return { files, problem: null }
}

/**
 * The state of an ingest after an event. Items of an ended collection are superseded too: the eraser appends their
 * MediaDeleted before it takes anything away.
 */
async function laterOf(
  { stream, revision }: RecordedEvent,
  ingestId: Uuid,
  { log }: ProjectionContext,
): Promise<{ isSuperseded: boolean; embedded: Embedded[] }> {
  const embedded: Embedded[] = []
  for await (const later of log.read(stream, { from: revision + 1 })) {
    if (!isKnownEvent(later)) continue
    const event = decodeRecorded(later)
    const isSuperseded =
      (event.type === 'MediaDeleted' && event.ingestId === ingestId) ||
      (event.type === 'MediaOverwritten' && event.previousIngestId === ingestId)
    if (isSuperseded) return { isSuperseded, embedded }
    if (event.type === 'MediaReembedded' && event.ingestId === ingestId) embedded.push(event)
  }
  return { isSuperseded: false, embedded }
}

/** Holds the place (time of creation, collection) that later changes need. */
function nothingOf({ mediaType, format, embedder, enricher }: Recorded): Understood {
  const none: string[] = []
  return {
    extraction: {
      format,
      mediaType,
      text: '',
      title: null,
      author: null,
      language: null,
      sections: [],
      tables: [],
      figureCount: 0,
      facts: NO_FACTS[mediaType],
      truncated: false,
      warnings: [],
    },
    enrichment: {
      summary: '',
      description: '',
      topics: [],
      keywords: [],
      categories: [],
      emotions: [],
      entities: { people: none, organizations: none, locations: none, objects: none, concepts: none },
      quality: { clarity: 0, completeness: 0, relevance: 0, technical: 0 },
      model: enricher,
    },
    chunks: [],
    vectors: {
      model: embedder,
      dimensions: 0,
      chunks: [],
      combined: new Float32Array(),
      short: new Float32Array(),
    },
  }
}

const NO_FACTS: { [Type in MediaType]: Extract<Facts, { mediaType: Type }> } = {
  document: { mediaType: 'document', pageCount: null, wordCount: 0 },
  image: { mediaType: 'image', width: 0, height: 0, colorMode: '', dominantColors: [], exif: {} },
  video: { mediaType: 'video', duration: 0, width: 0, height: 0, frameRate: 0 },
  audio: { mediaType: 'audio', duration: 0, sampleRate: 0, channels: 0, tags: {} },
  model: {
    mediaType: 'model',
    vertexCount: 0,
    triangleCount: 0,
    materialCount: 0,
    materials: [],
    parts: [],
    dimensions: { x: 0, y: 0, z: 0 },
  },
}
