import { createHash } from 'node:crypto'
import { decodeUnderstood } from '@medialog/application'
import type { Facts, Understood } from '@medialog/application/ports'
import { decodeRecorded, isKnownEvent } from '@medialog/contract'
import type { MediaEvent } from '@medialog/domain'
import type { MediaType, RecordedEvent, Uuid } from '@medialog/kernel'
import { ProjectionStopped, type ProjectionContext } from './projection.ts'

type Recorded = Extract<MediaEvent, { type: 'MediaIngested' | 'MediaOverwritten' }>

/**
 * What is known of an ingest, from its artifacts, checked against the digests in its event. Of one which a later event
 * of its stream deletes or replaces it is nothing at all, whether its artifacts were erased yet or not.
 * @throws ProjectionStopped
 */
export async function loadUnderstood(
  recorded: RecordedEvent,
  event: Recorded,
  mediaId: Uuid,
  context: ProjectionContext,
): Promise<Understood> {
  const { accountId, ingestId } = event
  if (await isSuperseded(recorded, ingestId, context)) return nothingOf(event)
  const files = new Map<string, Uint8Array>()
  const ingest = { accountId, mediaId, ingestId }
  const names = Object.keys(event.artifacts)
  const loaded = await Promise.all(names.map((name) => context.artifacts.get(ingest, name)))
  for (const [index, name] of names.entries()) {
    const bytes = loaded[index]
    if (!bytes) {
      // Once more after the look for the artifact: erasing comes after the event that allows it.
      if (await isSuperseded(recorded, ingestId, context)) return nothingOf(event)
      throw new ProjectionStopped(recorded, `the artifact ${name} of a living item is missing`)
    }
    const { sha256, size } = event.artifacts[name]!
    if (bytes.byteLength !== size || createHash('sha256').update(bytes).digest('hex') !== sha256)
      throw new ProjectionStopped(recorded, `the artifact ${name} is not what was recorded`)
    files.set(name, bytes)
  }
  try {
    return decodeUnderstood(files)
  } catch (cause) {
    throw new ProjectionStopped(recorded, (cause as Error).message, { cause })
  }
}

/** Items of an ended collection count too: the eraser appends their MediaDeleted before it takes anything away. */
async function isSuperseded(
  { stream, revision }: RecordedEvent,
  ingestId: Uuid,
  { log }: ProjectionContext,
): Promise<boolean> {
  for await (const later of log.read(stream, { from: revision + 1 })) {
    if (!isKnownEvent(later.type)) continue
    const event = decodeRecorded(later)
    if (event.type === 'MediaDeleted' && event.ingestId === ingestId) return true
    if (event.type === 'MediaOverwritten' && event.previousIngestId === ingestId) return true
  }
  return false
}

/** Holds the place (time of creation, collection) that what comes later stands on. */
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
