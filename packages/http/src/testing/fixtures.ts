import type { CatalogItem, Facts, ItemVectors } from '@medialog/application'
import { typedMediaId, type MediaType } from '@medialog/kernel'

export const ACCOUNT = '0190d3c2-6f0e-7b1a-9c1d-2f6f5f0a7b11'
export const NOW = Date.UTC(2026, 10, 20, 13, 5, 9, 123)

const FACTS: Record<MediaType, Facts> = {
  document: { mediaType: 'document', pageCount: 3, wordCount: 1200 },
  image: {
    mediaType: 'image',
    width: 640,
    height: 480,
    colorMode: 'RGB',
    dominantColors: [{ hex: '#336699', name: 'blue', share: 0.5 }],
    exif: { Model: 'Camera', ISOSpeedRatings: 100 },
  },
  video: { mediaType: 'video', duration: 12.5, width: 1920, height: 1080, frameRate: 25, codec: 'h264' },
  audio: { mediaType: 'audio', duration: 3.2, sampleRate: 44_100, channels: 2, tags: { title: 'Tone' } },
  model: {
    mediaType: 'model',
    vertexCount: 8,
    triangleCount: 12,
    materialCount: 1,
    materials: ['steel'],
    parts: ['cube'],
    dimensions: { x: 1, y: 2, z: 3 },
  },
}

/** A stored item like any other; `number` tells them apart. */
export function catalogItem(number: number, changes: Partial<CatalogItem> = {}): CatalogItem {
  const mediaType = changes.mediaType ?? 'document'
  return {
    accountId: ACCOUNT,
    mediaId: `00000000-0000-5000-8000-${String(number).padStart(12, '0')}`,
    ingestId: `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`,
    mediaType,
    format: 'pdf',
    filename: `file-${number}.pdf`,
    sizeBytes: 1000 + number,
    sha256: String(number).padStart(64, '0'),
    collection: 'default',
    createdAt: NOW - number * 1000,
    processedAt: NOW - number * 1000 + 40,
    durationMs: 40,
    extraction: {
      format: 'pdf',
      mediaType,
      title: 'A title',
      author: null,
      language: 'en',
      sections: [{ title: 'One', level: 1, contentType: 'heading', start: 0 }],
      tables: [{ rows: 2, columns: 2, start: 10 }],
      figureCount: 1,
      facts: FACTS[mediaType],
      truncated: false,
      warnings: [],
    },
    enrichment: {
      summary: 'A summary.',
      description: 'A description.',
      topics: ['energy'],
      keywords: ['wind', 'power'],
      categories: ['science'],
      emotions: ['calm'],
      entities: { people: ['Ada'], organizations: [], locations: [], objects: ['mill'], concepts: [] },
      quality: { clarity: 0.9, completeness: 0.8, relevance: 0.7, technical: 0.6 },
      model: 'test',
    },
    vectorCount: { hd: 3, ld: 1 },
    revision: 0,
    ...changes,
  }
}

export const idOfItem = ({ mediaType, mediaId }: CatalogItem): string => typedMediaId(mediaType, mediaId)

export const itemVectors = (): ItemVectors => ({
  model: 'test',
  dimensions: 4,
  combined: Float32Array.of(0.5, 0.5, 0.5, 0.5),
  short: Float32Array.of(1, 0),
  chunks: [Float32Array.of(1, 0, 0, 0), Float32Array.of(0, 1, 0, 0)],
})
