import { MEDIA_TYPES } from '@medialog/kernel'
import { z } from 'zod'
import { IMAGE_KINDS, type Understood } from '../ports/understanding.ts'

const count = z.number()
const names = z.array(z.string())
const share = z.number()

const dominantColors = z.array(z.object({ hex: z.string(), name: z.string(), share }))
const keyFrame = z.object({
  time: z.number(),
  dominantColors,
  brightness: share,
  kind: z.enum(['plain', 'drawing', 'photo']),
})

const time = { start: z.number(), end: z.number() }
const spoken = {
  listened: z.boolean().optional(),
  transcribedBy: z.string().optional(),
  segments: z.array(z.object({ ...time, at: count, confidence: share.optional() })).optional(),
  passageTimes: z.array(z.object(time)).optional(),
}

const section = z.object({ title: z.string(), level: count, contentType: z.string(), start: count })
const table = z.object({ rows: count, columns: count, start: count })

const facts = z.discriminatedUnion('mediaType', [
  z.object({
    mediaType: z.literal('document'),
    pageCount: count.nullable(),
    wordCount: count,
    encoding: z.string().optional(),
  }),
  z.object({
    mediaType: z.literal('image'),
    width: count,
    height: count,
    colorMode: z.string(),
    dominantColors,
    exif: z.record(z.string(), z.union([z.string(), z.number()])),
    frameCount: count.optional(),
    kind: z.object({ name: z.enum(IMAGE_KINDS), confidence: share }).optional(),
    seen: z
      .object({ model: z.string(), description: z.string(), sceneType: z.string(), elements: names })
      .optional(),
    preview: z.object({ width: count, height: count, bytes: count }).optional(),
  }),
  z.object({
    mediaType: z.literal('video'),
    duration: z.number(),
    width: count,
    height: count,
    frameRate: z.number(),
    codec: z.string().optional(),
    tags: z.record(z.string(), z.string()).optional(),
    keyFrames: z.array(keyFrame).optional(),
    ...spoken,
  }),
  z.object({
    mediaType: z.literal('audio'),
    duration: z.number(),
    sampleRate: z.number(),
    channels: count,
    codec: z.string().optional(),
    bitRate: z.number().optional(),
    loudness: z
      .object({ integrated: z.number().nullable(), peak: z.number().nullable(), silence: share })
      .optional(),
    tags: z.record(z.string(), z.string()),
    ...spoken,
  }),
  z.object({
    mediaType: z.literal('model'),
    vertexCount: count,
    triangleCount: count,
    materialCount: count,
    materials: names,
    parts: names,
    colors: z.array(z.object({ hex: z.string(), name: z.string() })).optional(),
    dimensions: z.object({ x: z.number(), y: z.number(), z: z.number() }),
  }),
])

export const extractionSchema = z.object({
  format: z.string(),
  mediaType: z.enum(MEDIA_TYPES),
  text: z.string(),
  title: z.string().nullable(),
  author: z.string().nullable(),
  language: z.string().nullable(),
  sections: z.array(section),
  tables: z.array(table),
  figureCount: count,
  facts,
  truncated: z.boolean(),
  warnings: names,
  recognition: z
    .object({
      method: z.string(),
      languages: names,
      words: count,
      dropped: count,
      confidence: share,
      pages: z.array(count).optional(),
    })
    .optional(),
})

const enrichment = z.object({
  summary: z.string(),
  description: z.string(),
  topics: names,
  keywords: names,
  categories: names,
  emotions: names,
  entities: z.object({
    people: names,
    organizations: names,
    locations: names,
    objects: names,
    concepts: names,
  }),
  quality: z.object({ clarity: share, completeness: share, relevance: share, technical: share }),
  model: z.string(),
  warnings: names.optional(),
})

const chunk = z.object({ text: z.string(), start: count, end: count })

/** All of `Understood` that is words and numbers; vectors and pictures have files of their own. */
export const describedSchema = z.object({
  extraction: extractionSchema,
  enrichment,
  chunks: z.array(chunk),
}) satisfies z.ZodType<Omit<Understood, 'vectors' | 'thumbnails'>>
