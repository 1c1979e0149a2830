import type {
  CatalogItem,
  Enrichment,
  Extraction,
  Facts,
  ItemVectors,
  KeyFrame,
  Loudness,
  MediaThen,
  MediaView,
  Recognition,
  UploadedMedia,
} from '@medialog/application'
import type {
  ChangedMediaItem,
  ErasedMediaItem,
  ListedMediaItem,
  MediaItem,
  SearchMetadata,
  UploadResult,
} from '@medialog/contract/http'
import { isoTime, jobId, toUsdNumber, typedMediaId } from '@medialog/kernel'
import type { z } from 'zod'
import { WrittenJson } from '../answers/json.ts'

type Metadata = z.input<typeof MediaItem>['metadata'] & {}

export const idOf = ({ mediaType, mediaId }: Pick<CatalogItem, 'mediaType' | 'mediaId'>): string =>
  typedMediaId(mediaType, mediaId)

const identityOf = ({
  filename,
  sizeBytes,
  sha256,
}: Pick<CatalogItem, 'filename' | 'sizeBytes' | 'sha256'>) => ({
  filename,
  size_bytes: sizeBytes,
  checksum: sha256,
})

/** What files of a type have besides name, size and checksum. */
function typeFieldsOf(facts: Facts) {
  switch (facts.mediaType) {
    case 'document':
      return { ...pagesOf(facts), word_count: facts.wordCount }
    case 'image':
      return { dimensions: { width: facts.width, height: facts.height }, color_mode: facts.colorMode }
    case 'video':
      return {
        duration: facts.duration,
        resolution: `${facts.width}x${facts.height}`,
        frame_rate: facts.frameRate,
      }
    case 'audio':
      return { duration: facts.duration, sample_rate: facts.sampleRate, channels: facts.channels }
    case 'model':
      return {
        vertex_count: facts.vertexCount,
        material_count: facts.materialCount,
        dimensions: facts.dimensions,
      }
  }
}

/** Nothing where pages are not known: most formats have none. */
const pagesOf = (facts: Facts): { page_count?: number } =>
  facts.mediaType === 'document' && facts.pageCount !== null ? { page_count: facts.pageCount } : {}

const storedOf = (item: Pick<CatalogItem, 'mediaId' | 'mediaType' | 'createdAt'>) => ({
  id: idOf(item),
  media_id: idOf(item),
  media_type: item.mediaType,
  storage: { created_at: isoTime(item.createdAt) },
})

const statusOf = ({ processedAt, durationMs }: Pick<CatalogItem, 'processedAt' | 'durationMs'>) => ({
  state: 'completed' as const,
  processing_info: { completed_at: isoTime(processedAt), duration_ms: Math.round(durationMs) },
})

const itemOf = ({ item }: MediaView) => ({
  ...storedOf(item),
  collection: item.collection,
  status: statusOf(item),
})

const listVectorsOf = ({ combined, dimensions, model }: ItemVectors) => ({
  combined: Array.from(combined),
  dimensions,
  model,
})

type ReadItem = z.input<typeof MediaItem>

/** By what the catalog remembers of an item, which stays the same object for as long as it holds. */
const written = new WeakMap<CatalogItem, WrittenJson<ReadItem>>()

/**
 * A single read: what was not asked for is absent. The usual one, an item with its metadata and without its content, is
 * written once.
 */
export function mediaItem(view: MediaView, withMetadata: boolean): ReadItem | WrittenJson<ReadItem> {
  const { item, content, vectors } = view
  if (content || vectors || !withMetadata) return readItem(view, withMetadata)
  const known = written.get(item) ?? new WrittenJson(readItem(view, withMetadata))
  written.set(item, known)
  return known
}

function readItem(view: MediaView, withMetadata: boolean): ReadItem {
  const { item, content, vectors } = view
  return {
    ...itemOf(view),
    file_info: {
      ...identityOf(item),
      processed_at: isoTime(item.processedAt),
      ...typeFieldsOf(item.extraction.facts),
    },
    ...(withMetadata && { metadata: metadataOf(item) }),
    ...(content && {
      content: {
        text: content.text,
        chunks: content.chunks.map((chunk) => chunk.text),
        summary: item.enrichment.summary,
        ...keyFramePictures(item.extraction.facts, content.thumbnails),
        ...previewPicture(item.extraction.facts, content.thumbnails),
        ...(transcriberOf(item) && { transcript: content.text }),
        ...segmentsOf(item.extraction.facts, content.text),
      },
    }),
    ...(vectors && {
      vectors: { ...listVectorsOf(vectors), chunks: vectors.chunks.map((chunk) => Array.from(chunk)) },
    }),
  }
}

export function listedMediaItem(view: MediaView): z.input<typeof ListedMediaItem> {
  const { item, vectors } = view
  return {
    ...itemOf(view),
    file_info: { ...identityOf(item), ...pagesOf(item.extraction.facts) },
    metadata: metadataOf(item),
    ...(vectors && { vectors: listVectorsOf(vectors) }),
  }
}

/** An item of a listing of the past. */
export function mediaItemThen(
  then: MediaThen,
): z.input<typeof ListedMediaItem | typeof ChangedMediaItem | typeof ErasedMediaItem> {
  switch (then.state) {
    case 'stored':
      return listedMediaItem({ item: then.item, content: null, vectors: null })
    case 'erased':
      return { ...storedOf(then), erased: true, erased_at: isoTime(then.erasedAt) }
    case 'changed': {
      const { collection, ingest } = then
      return {
        ...storedOf(then),
        changed_since: true,
        ...(collection !== null && { collection }),
        ...(ingest && {
          status: statusOf({ ...ingest, processedAt: ingest.at }),
          file_info: identityOf(ingest),
        }),
      }
    }
  }
}

export function searchMetadataOf(enrichment: Enrichment): z.input<typeof SearchMetadata> {
  const { summary, description, keywords, categories, emotions, topics, entities, quality } = enrichment
  const { people, organizations, locations, concepts } = entities
  return {
    summary,
    description,
    keywords,
    semantic_markers: { categories, emotions, topics },
    entities: { people, organizations, locations, concepts },
    quality_metrics: qualityOf(quality),
  }
}

const qualityOf = ({ clarity, completeness, relevance, technical }: Enrichment['quality']) => ({
  clarity,
  completeness,
  relevance,
  technical,
})

function keyFramePictures(facts: Facts, thumbnails: Uint8Array[] | undefined) {
  if (facts.mediaType !== 'video' || !facts.keyFrames || !thumbnails) return {}
  return {
    key_frames: facts.keyFrames.flatMap(({ time }, index) => {
      const jpeg = thumbnails[index]
      return jpeg ? [{ timestamp: time, thumbnail: dataUri(jpeg) }] : []
    }),
  }
}

function previewPicture(facts: Facts, thumbnails: Uint8Array[] | undefined) {
  const [jpeg] = thumbnails ?? []
  return facts.mediaType === 'image' && jpeg ? { preview: dataUri(jpeg) } : {}
}

const dataUri = (jpeg: Uint8Array): string => `data:image/jpeg;base64,${Buffer.from(jpeg).toString('base64')}`

/** So that a page of items stays small, whatever was uploaded. */
const MOST_SECTIONS = 200
const LONGEST_TITLE = 200

/** What made an item, and what could not be done of it. */
function processingOf(item: Pick<CatalogItem, 'extraction' | 'enrichment'>): Metadata['processing'] {
  const { extraction, enrichment } = item
  const transcription = transcriberOf(item)
  const { facts } = extraction
  const vision = facts.mediaType === 'image' ? facts.seen?.model : undefined
  return {
    models: {
      enrichment: enrichment.model,
      ...(vision && { vision }),
      ...(transcription && { transcription }),
    },
    warnings: [
      ...extraction.warnings,
      ...(enrichment.warnings ?? []),
      ...(isOfBefore(facts) ? [UNHEARD] : []),
    ],
  }
}

const UNHEARD =
  'It was stored by a release that did not listen for speech: to have it written down, upload the file again with force_overwrite.'

const isOfBefore = (facts: Facts): boolean =>
  (facts.mediaType === 'audio' || facts.mediaType === 'video') &&
  facts.listened === undefined &&
  facts.transcribedBy === undefined

const transcriberOf = ({ extraction: { facts } }: Pick<CatalogItem, 'extraction'>): string | undefined =>
  'transcribedBy' in facts ? facts.transcribedBy : undefined

function segmentsOf(facts: Facts, text: string) {
  if (!('segments' in facts) || !facts.segments) return {}
  const { segments } = facts
  return {
    segments: segments.map(({ start, end, at, confidence }, index) => ({
      start,
      end,
      text: text.slice(at, segments[index + 1]?.at).trimEnd(),
      ...(confidence !== undefined && { confidence }),
    })),
  }
}

function metadataOf(item: CatalogItem): Metadata {
  const { enrichment, extraction } = item
  const { format, truncated, figureCount, tables, sections, facts, recognition } = extraction
  return {
    search: searchMetadataOf(enrichment),
    processing: processingOf(item),
    modality: {
      formatting: {
        original_format: format,
        structure_type: structureType(extraction),
        was_truncated: truncated,
      },
      structure: {
        has_figures: figureCount > 0,
        has_tables: tables.length > 0,
        ...pagesOf(facts),
        sections: sections.slice(0, MOST_SECTIONS).map(({ title, level, contentType }) => ({
          title: title.slice(0, LONGEST_TITLE),
          level,
          content_type: contentType,
        })),
      },
      ...attributesOf(facts),
      ...(recognition && { text_recognition: recognitionOf(recognition) }),
    },
  }
}

const recognitionOf = ({ method, languages, words, dropped, confidence, pages }: Recognition) => ({
  method,
  languages,
  words,
  words_left_out: dropped,
  confidence,
  ...(pages && { pages }),
})

/** How the content is laid out, in a word. */
function structureType({ facts, sections, tables }: Omit<Extraction, 'text'>): string {
  if (facts.mediaType !== 'document') return facts.mediaType
  const [first] = sections
  if (first && first.contentType !== 'heading') return `${first.contentType}s`
  if (first) return 'sections'
  return tables.length > 0 ? 'tables' : 'text'
}

function attributesOf(facts: Facts): Partial<Metadata['modality']> {
  switch (facts.mediaType) {
    case 'document':
      return {}
    case 'image': {
      const { dominantColors, exif, frameCount, kind, seen, preview } = facts
      return {
        visual_attributes: {
          dominant_colors: dominantColors,
          exif,
          ...(frameCount !== undefined && { frame_count: frameCount }),
          ...(kind && { kind: kind.name, kind_confidence: kind.confidence }),
          ...(seen && {
            description: seen.description,
            scene_type: seen.sceneType,
            visual_elements: seen.elements,
          }),
          ...(preview && { preview: { width: preview.width, height: preview.height } }),
        },
      }
    }
    case 'video':
      return {
        ...(facts.keyFrames && { key_frames: facts.keyFrames.map(keyFrame) }),
        stream_attributes: { codec: facts.codec, tags: facts.tags ?? {} },
      }
    case 'audio':
      return {
        stream_attributes: {
          codec: facts.codec,
          bit_rate: facts.bitRate,
          ...(facts.loudness && { loudness: loudness(facts.loudness) }),
          tags: facts.tags,
        },
      }
    case 'model': {
      const { triangleCount, materials, parts, colors } = facts
      return {
        model_attributes: { triangle_count: triangleCount, materials, parts, ...(colors && { colors }) },
      }
    }
  }
}

const keyFrame = ({ time, dominantColors, brightness, kind }: KeyFrame) => ({
  timestamp: time,
  dominant_colors: dominantColors,
  brightness,
  kind,
})

const loudness = ({ integrated, peak, silence }: Loudness) => ({
  integrated_lufs: integrated,
  peak_dbfs: peak,
  silence_share: silence,
})

/** How uploads write their two processing times. */
const withoutZone = (milliseconds: number): string => isoTime(milliseconds).slice(0, -1)

export function uploadResult(uploaded: UploadedMedia, withVectors: boolean): z.input<typeof UploadResult> {
  const { item, vectors } = uploaded
  const { enrichment } = item
  return {
    media_id: idOf(item),
    media_type: item.mediaType,
    status: 'completed',
    processing_info: {
      started_at: withoutZone(uploaded.startedAt),
      completed_at: withoutZone(uploaded.completedAt),
      job_id: jobId.format(uploaded.jobId),
    },
    content_summary: {
      summary: enrichment.summary,
      description: enrichment.description,
      topics: enrichment.topics,
      keywords: enrichment.keywords,
      categories: enrichment.categories,
      emotions: enrichment.emotions,
      entities: enrichment.entities,
      quality: qualityOf(enrichment.quality),
    },
    file_details: {
      ...identityOf(item),
      media_type: item.mediaType,
      ...typeFieldsOf(item.extraction.facts),
    },
    storage_info: {
      collection: item.collection,
      vectors_stored: item.vectorCount.hd + item.vectorCount.ld,
      stored_at: isoTime(item.processedAt),
    },
    balance_info: {
      previous_balance: toUsdNumber(uploaded.previousBalance),
      cost: toUsdNumber(uploaded.cost),
      new_balance: toUsdNumber(uploaded.newBalance),
    },
    processing: processingOf(item),
    ...(withVectors && { vectors: listVectorsOf(vectors) }),
  }
}
