import type {
  BatchJobView,
  BatchAtWork,
  CatalogItem,
  CreateBatch,
  Facts,
  ItemVectors,
} from '@medialog/application'
import type { BatchIntent } from '@medialog/domain'
import { typedMediaId, usd, type MediaType, type Uuid } from '@medialog/kernel'

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
    kind: { name: 'photo', confidence: 0.9 },
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

export const BATCH = '00000000-0000-7000-8000-00000000ba7c'

/** A batch at work: of five files one is stored, one was there, one is broken, one is at work, one waits. */
export const batchView = (): BatchAtWork => ({
  batchId: BATCH,
  accountId: ACCOUNT,
  name: 'Autumn papers',
  collection: null,
  overwrite: false,
  status: 'running',
  createdAt: NOW,
  startedAt: NOW + 10,
  endedAt: null,
  jobs: { total: 5, processing: 1, succeeded: 1, skipped: 1, failed: 1 },
  atWork: [],
  charged: usd('0.16'),
  refunded: usd('0.04'),
  estimatedCompletion: NOW + 2000,
})

export function batchJobs(): BatchJobView[] {
  const job = (number: number, status: BatchJobView['status'], endedAt: number | null): BatchJobView => ({
    jobId: `00000000-0000-7000-8000-00000000000${number}`,
    mediaId: `00000000-0000-5000-8000-00000000000${number}`,
    filename: `${number}.${number === 1 ? 'png' : 'txt'}`,
    mediaType: number === 1 ? 'image' : 'document',
    sizeBytes: 1_500_000,
    status,
    error: null,
    endedAt,
  })
  return [
    job(1, 'succeeded', NOW + 100),
    job(2, 'skipped', NOW + 110),
    {
      ...job(3, 'failed', NOW + 120),
      error: { code: 'corrupted_file', message: 'The file is damaged: it could not be read.' },
    },
    job(4, 'processing', null),
    job(5, 'pending', null),
  ]
}

export const batchIntent = (
  batchId: Uuid,
  { files, collection, overwrite, name }: CreateBatch,
): BatchIntent => ({
  accountId: ACCOUNT,
  batchId,
  name,
  collection,
  overwrite,
  price: [],
  jobs: files.map(({ filename, staged }, index) => ({
    jobId: `00000000-0000-7000-8000-00000000000${index}`,
    mediaId: `00000000-0000-5000-8000-00000000000${index}`,
    stagedId: staged.id,
    filename,
    mediaType: 'document',
    sizeBytes: staged.size,
    sha256: staged.sha256,
    duplicate: false,
  })),
  at: NOW,
})

export const ACCOUNT_RECORD = {
  accountId: ACCOUNT,
  name: 'dev',
  tier: 'standard',
  status: 'active',
  openedAt: NOW,
} as const
