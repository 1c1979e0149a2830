import { UUID_PATTERN, type Uuid } from '@medialog/kernel'
import { z } from 'zod'
import {
  booleanText,
  collectionId,
  count,
  defaulting,
  dollars,
  instantText,
  integerText,
  mediaId,
  mediaType,
  pageText,
  pagination,
  ratio,
  seconds,
  success,
  timestamp,
  jobId,
} from './common.ts'
import { erasureAnswered, receiptAsked } from './erasures.ts'
import { route } from './route.ts'

const words = z.array(z.string())
const box = z.strictObject({ x: z.number(), y: z.number(), z: z.number() })

const pageCount = z.int().describe('Of a document whose format has pages; absent elsewhere.').optional()

/** What files of a type have besides name, size and checksum. */
const typeFields = {
  page_count: pageCount,
  word_count: z.int().optional(),
  dimensions: z.union([z.strictObject({ width: z.number(), height: z.number() }), box]).optional(),
  color_mode: z.string().optional(),
  duration: z.number().describe('Seconds.').optional(),
  resolution: z.string().meta({ description: 'Width x height in pixels.', example: '1920x1080' }).optional(),
  frame_rate: z.number().optional(),
  sample_rate: z.number().describe('Hertz.').optional(),
  channels: z.int().optional(),
  vertex_count: z.int().optional(),
  material_count: z.int().optional(),
}
const fileIdentity = {
  filename: z.string(),
  size_bytes: count,
  checksum: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .meta({
      description: 'SHA-256, hex.',
      example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    }),
}

const quality = z.strictObject({ clarity: ratio, completeness: ratio, relevance: ratio, technical: ratio })
const entities = { people: words, organizations: words, locations: words, concepts: words }

export const SearchMetadata = z
  .strictObject({
    summary: z.string(),
    description: z.string(),
    keywords: words,
    semantic_markers: z.strictObject({ categories: words, emotions: words, topics: words }),
    entities: z.strictObject(entities),
    quality_metrics: quality,
  })
  .meta({ id: 'SearchMetadata' })

const dominantColors = z.array(z.strictObject({ hex: z.string(), name: z.string(), share: ratio }))
const tags = z.record(z.string(), z.string())

const processing = z.strictObject({
  models: z
    .strictObject({
      enrichment: z.string().meta({ example: 'medialog-offline-2' }),
      vision: z.string().optional(),
      transcription: z.string().optional(),
    })
    .describe('What made it: models of providers by name, methods in the box with their version.'),
  warnings: words.describe('What could not be read, was left out, or was made otherwise than configured.'),
})

const MediaMetadata = z
  .strictObject({
    search: SearchMetadata,
    processing,
    modality: z.strictObject({
      formatting: z.strictObject({
        original_format: z.string(),
        structure_type: z.string(),
        was_truncated: z.boolean(),
      }),
      structure: z.strictObject({
        has_figures: z.boolean(),
        has_tables: z.boolean(),
        page_count: pageCount,
        sections: z
          .array(z.strictObject({ title: z.string(), level: z.int(), content_type: z.string() }))
          .describe('The first 200, their titles cut at 200 characters.'),
      }),
      visual_attributes: z
        .strictObject({
          dominant_colors: dominantColors,
          exif: z.record(z.string(), z.union([z.string(), z.number()])),
          frame_count: z.int().optional(),
          kind: z
            .enum(['photo', 'drawing', 'screenshot', 'scan', 'icon'])
            .describe('What it looks like by measure of its pixels.')
            .optional(),
          kind_confidence: ratio.optional(),
          description: z.string().describe('What a vision model sees, where one looked.').optional(),
          scene_type: z.string().optional(),
          visual_elements: words.optional(),
          preview: z
            .strictObject({ width: z.int(), height: z.int() })
            .describe('Of the preview in `content`, in pixels; absent where none is kept.')
            .optional(),
        })
        .optional(),
      text_recognition: z
        .strictObject({
          method: z.string(),
          languages: words.meta({ example: ['eng'] }),
          words: count,
          words_left_out: count.describe('Read, but too uncertain to be kept.'),
          confidence: ratio.describe('Mean over the words that were kept, as the method measures it.'),
          pages: z
            .array(z.int())
            .describe('Whose words were read from pictures; absent where there are no pages.')
            .optional(),
        })
        .describe('Words of the text that were read from pictures (OCR); absent where none were.')
        .optional(),
      key_frames: z
        .array(
          z.strictObject({
            timestamp: seconds,
            dominant_colors: dominantColors,
            brightness: ratio.describe('Mean luma: 0 is black, 1 is white.'),
            kind: z.enum(['plain', 'drawing', 'photo']),
          }),
        )
        .describe(
          'Of a video: a frame of each scene, at most 12. Absent where the pictures cannot be decoded.',
        )
        .optional(),
      stream_attributes: z
        .strictObject({
          codec: z.string().optional(),
          bit_rate: z.number().optional(),
          loudness: z
            .strictObject({
              integrated_lufs: z.number().nullable().describe('ITU-R BS.1770; null for silence.'),
              peak_dbfs: z.number().nullable().describe('The largest sample; null where all are 0.'),
              silence_share: ratio.describe('Of the time, below −60 dBFS.'),
            })
            .describe('Of sound that can be decoded.')
            .optional(),
          tags,
        })
        .optional(),
      model_attributes: z
        .strictObject({
          triangle_count: count,
          materials: words,
          parts: words,
          colors: z.array(z.strictObject({ hex: z.string(), name: z.string() })).optional(),
        })
        .optional(),
    }),
  })
  .meta({ id: 'MediaMetadata' })

const vector = z.array(z.number())
const listVectors = { combined: vector.describe('Unit length.'), dimensions: count, model: z.string() }

const mediaItem = {
  id: mediaId,
  media_id: mediaId,
  media_type: mediaType,
  collection: z.string(),
  status: z.strictObject({
    state: z.enum(['completed', 'processing', 'failed']),
    processing_info: z.strictObject({ completed_at: timestamp, duration_ms: count }),
  }),
  storage: z.strictObject({ created_at: timestamp }),
}

export const MediaItem = z
  .strictObject({
    ...mediaItem,
    file_info: z.strictObject({ ...fileIdentity, processed_at: timestamp, ...typeFields }),
    metadata: MediaMetadata.optional(),
    content: z
      .strictObject({
        text: z.string(),
        chunks: words,
        summary: z.string(),
        key_frames: z
          .array(
            z.strictObject({
              timestamp: seconds,
              thumbnail: z.string().describe('A `data:` URI: a JPEG, at most 320 pixels wide and high.'),
            }),
          )
          .describe('Pictures of a video’s key frames, in the order of `metadata.modality.key_frames`.')
          .optional(),
        preview: z
          .string()
          .describe(
            'Of an image, where previews are kept: a `data:` URI, a JPEG of at most 256 pixels wide and high.',
          )
          .optional(),
        transcript: z
          .string()
          .describe('Of a recording or film, where its speech was written down by a model: its text.')
          .optional(),
        segments: z
          .array(
            z.strictObject({
              start: seconds,
              end: seconds,
              text: z.string(),
              confidence: ratio.describe('How sure the model was of it, where it says that.').optional(),
            }),
          )
          .describe('What the transcript says when.')
          .optional(),
      })
      .describe(
        'Chunk 0 is the item’s head: file name, title, keywords, and a summary that does not quote the text.',
      )
      .optional(),
    vectors: z.strictObject({ ...listVectors, chunks: z.array(vector) }).optional(),
  })
  .meta({ id: 'MediaItem' })

export const ListedMediaItem = z
  .strictObject({
    ...mediaItem,
    file_info: z.strictObject({ ...fileIdentity, page_count: pageCount }),
    metadata: MediaMetadata,
    vectors: z.strictObject(listVectors).optional(),
  })
  .meta({ id: 'ListedMediaItem' })

const thenIdentity = { id: mediaId, media_id: mediaId, media_type: mediaType, storage: mediaItem.storage }

export const ChangedMediaItem = z
  .strictObject({
    ...thenIdentity,
    changed_since: z
      .literal(true)
      .describe('It was replaced since: what was understood of it then is erased.'),
    collection: z.string().optional(),
    status: mediaItem.status.optional(),
    file_info: z.strictObject(fileIdentity).optional(),
  })
  .meta({ id: 'ChangedMediaItem', description: 'What the log still says of it; the rest is absent.' })

export const ErasedMediaItem = z
  .strictObject({ ...thenIdentity, erased: z.literal(true), erased_at: timestamp })
  .meta({
    id: 'ErasedMediaItem',
    description: 'Erased since: that it was there, and nothing of what it was.',
  })

/** Without zone suffix: how uploads have always written these two. */
const zoneless = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}$/)
  .meta({ example: '2026-11-20T13:05:09.123' })

export const UploadResult = z
  .strictObject({
    media_id: mediaId,
    media_type: mediaType,
    status: z.enum(['completed', 'processing', 'failed']),
    processing_info: z.strictObject({
      started_at: zoneless,
      completed_at: zoneless,
      job_id: jobId,
    }),
    content_summary: z.strictObject({
      summary: z.string(),
      description: z.string(),
      topics: words,
      keywords: words,
      categories: words,
      emotions: words,
      entities: z.strictObject({ ...entities, objects: words }),
      quality,
    }),
    file_details: z.strictObject({ ...fileIdentity, media_type: mediaType, ...typeFields }),
    storage_info: z.strictObject({ collection: z.string(), vectors_stored: count, stored_at: timestamp }),
    balance_info: z.strictObject({ previous_balance: dollars, cost: dollars, new_balance: dollars }),
    processing,
    vectors: z.strictObject(listVectors).optional(),
  })
  .meta({ id: 'UploadResult' })

/** An item's place in the list, newest first; the item itself may be deleted. */
export const placeText = z
  .string()
  .regex(new RegExp(`^\\d{1,15}_${UUID_PATTERN.source.slice(1)}`), {
    error: 'must be the `next` of another page',
  })
  .transform((text) => {
    const [createdAt, mediaId] = text.split('_')
    return { createdAt: Number(createdAt), mediaId: mediaId! }
  })
  .meta({ example: '1763643909123_0190d3c2-6f0e-5b1a-9c1d-2f6f5f0a7b11' })

/** As `placeText` reads it. */
export const placeOf = ({ createdAt, mediaId }: { createdAt: number; mediaId: Uuid }): string =>
  `${createdAt}_${mediaId}`

const mediaParams = z.strictObject({ media_id: mediaId })

export const mediaRoutes = {
  uploadMedia: route({
    operationId: 'uploadMedia',
    method: 'post',
    path: '/v1/media',
    tag: 'Media',
    summary: 'Upload a file',
    description:
      'Reads the file, keeps what can be known about it, and drops the file. Costs 0.04 USD; a refused or failed upload costs nothing.',
    access: 'write',
    paid: true,
    invalid: 'INVALID_PARAMETER',
    query: z.strictObject({ include_vectors: booleanText.optional() }),
    headers: {
      'X-On-Disconnect': {
        says: '`cancel`: the service cancels and refunds the upload if the caller disconnects before the item is stored. Without it, it finishes the upload.',
        pattern: /^cancel$/,
      },
    },
    form: z.strictObject({
      force_overwrite: defaulting(booleanText, false).describe(
        'Replace what is stored of the same content; the item keeps its id and created_at.',
      ),
      collection_id: collectionId.optional().describe('`default`, or where an overwritten item is.'),
      include_vectors: booleanText.optional().describe('Wins over the query parameter.'),
    }),
    answer: z.strictObject({
      ...success,
      data: UploadResult,
      metadata: z.strictObject({
        cost: dollars,
        collection: z.string(),
        request_id: z.string(),
        processing_time_ms: count,
      }),
      timestamp,
    }),
    errors: [
      'MISSING_FILE',
      'UNSUPPORTED_FILE_TYPE',
      'FILE_SIZE_EXCEEDED',
      'CORRUPTED_FILE',
      'ENCRYPTED_FILE',
      'DUPLICATE_FILE',
      'QUOTA_EXCEEDED',
      'GONE',
    ],
  }),

  listMedia: route({
    operationId: 'listMedia',
    method: 'get',
    path: '/v1/media',
    tag: 'Media',
    summary: 'List items, newest first',
    access: 'read',
    invalid: 'INVALID_PARAMETER',
    renamed: { ACCOUNT_NOT_FOUND: 'RESOURCE_NOT_FOUND' },
    query: z
      .strictObject({
        page: defaulting(pageText, 1),
        page_size: defaulting(integerText(1, 100), 20),
        media_type: mediaType.optional(),
        collection: collectionId.optional(),
        include_vectors: defaulting(booleanText, false),
        after: placeText
          .optional()
          .describe(
            'The `next` of another page: what follows it, each item once whatever is stored or deleted meanwhile. Instead of `page`.',
          ),
        as_of: instantText
          .optional()
          .describe('What was stored then, that moment included; without vectors, which are not kept.'),
      })
      .superRefine(({ as_of: asOf, include_vectors: vectors, after, page }, check) => {
        const issue = (parameter: string, message: string, input: unknown): void =>
          check.addIssue({ code: 'custom', path: [parameter], message, input })
        if (asOf !== undefined && vectors)
          issue(
            'include_vectors',
            'cannot be given together with as_of: vectors of the past are not kept',
            vectors,
          )
        if (after && (page !== 1 || asOf !== undefined))
          issue('after', 'cannot be given together with page or as_of', undefined)
      }),
    answer: z.strictObject({
      ...success,
      data: z.strictObject({
        items: z
          .array(z.union([ListedMediaItem, ChangedMediaItem, ErasedMediaItem]))
          .describe('The last two with `as_of` alone.'),
        as_of: timestamp.optional(),
        undated: count
          .optional()
          .describe(
            'With `as_of`: items erased since, by an earlier release, of which it is not known whether they were there.',
          ),
        pagination: pagination.extend({
          has_next: z.boolean(),
          next: z
            .string()
            .optional()
            .describe('What `after` takes for the next page; absent at the end, and with `as_of`.'),
        }),
        filters: z.strictObject({
          applied: z.strictObject({ media_type: mediaType.optional(), collection: z.string().optional() }),
          total_matching: count,
        }),
      }),
      timestamp,
    }),
    errors: ['RESOURCE_NOT_FOUND'],
  }),

  readMedia: route({
    operationId: 'readMedia',
    method: 'get',
    path: '/v1/media/{media_id}',
    tag: 'Media',
    summary: 'Read one item',
    access: 'read',
    invalid: 'INVALID_PARAMETER',
    params: mediaParams,
    query: z.strictObject({
      include_vectors: defaulting(booleanText, false),
      include_chunks: defaulting(booleanText, false),
      include_metadata: defaulting(booleanText, true),
    }),
    answer: z.strictObject({
      ...success,
      data: MediaItem,
      metadata: z.strictObject({
        retrieval_time: timestamp,
        api_version: z.literal('v1'),
        included_vectors: z.boolean(),
        included_chunks: z.boolean(),
      }),
      timestamp,
    }),
    errors: ['RESOURCE_NOT_FOUND'],
  }),

  deleteMedia: route({
    operationId: 'deleteMedia',
    method: 'delete',
    path: '/v1/media/{media_id}',
    tag: 'Media',
    summary: 'Delete one item for good',
    access: 'delete',
    invalid: 'INVALID_PARAMETER',
    params: mediaParams,
    query: z.strictObject(receiptAsked),
    answer: z.strictObject({
      ...success,
      data: z.strictObject({
        media_id: mediaId,
        deletion_status: z.literal('completed'),
        successful: z.boolean(),
        ...erasureAnswered,
      }),
      metadata: z.strictObject({
        deletion_time: timestamp,
        resource_type: z.literal('media_item'),
        processing_time_ms: count,
      }),
      timestamp,
    }),
    errors: ['RESOURCE_NOT_FOUND'],
  }),

  deleteMediaBatch: route({
    operationId: 'deleteMediaBatch',
    method: 'delete',
    path: '/v1/media/batch',
    tag: 'Media',
    summary: 'Delete up to 100 items for good',
    description: 'What was not found is named under `failed`; the rest is deleted all the same.',
    access: 'delete',
    codeOf: ({ path, code, input }) => {
      if (path[0] !== 'media_ids') return undefined
      if (path.length === 1 && input === undefined) return 'MISSING_MEDIA_IDS'
      return code === 'too_big' && path.length === 1 ? 'BATCH_TOO_LARGE' : 'INVALID_MEDIA_IDS'
    },
    query: z.strictObject(receiptAsked),
    bodyOptional: true,
    body: z.strictObject({
      media_ids: z.array(mediaId.min(1).max(200)).min(1).max(100),
      reason: z.string().max(1000).optional(),
    }),
    answer: z.strictObject({
      ...success,
      data: z.strictObject({
        deleted: z.strictObject({
          count,
          media_ids: z.array(mediaId),
          hd_vectors: count,
          ld_vectors: count,
        }),
        failed: z.strictObject({
          count,
          media_ids: z.array(z.string()),
          reasons: z.record(z.string(), z.string()),
        }),
        ...erasureAnswered,
      }),
      metadata: z.strictObject({
        operation_id: z.string(),
        timestamp,
        processing_time_ms: count,
        reason: z.string().describe('As it was given; absent where none was.').optional(),
      }),
    }),
    errors: ['MISSING_MEDIA_IDS', 'INVALID_MEDIA_IDS', 'BATCH_TOO_LARGE'],
  }),
}
