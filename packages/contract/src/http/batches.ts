import { JOB_ERROR_CODES } from '@medialog/domain'
import { z } from 'zod'
import {
  booleanText,
  collectionId,
  count,
  defaulting,
  dollars,
  integerText,
  mediaId,
  mediaType,
  pageText,
  pagination,
  success,
  timestamp,
  jobId,
} from './common.ts'
import { route } from './route.ts'

/** Files of one batch, and bytes of all of them. */
export const MOST_BATCH_FILES = 25
export const MOST_BATCH_BYTES = 100_000_000

const batchId = z
  .string()
  .regex(/^batch_/)
  .meta({ example: 'batch_0190d3c2-6f0e-7b1a-9c1d-2f6f5f0a7b11' })
const batchStatus = z.enum(['created', 'running', 'completed', 'failed', 'cancelled'])
const percent = z.number().min(0).max(100)
const byType = <S extends z.ZodType>(schema: S) => z.partialRecord(mediaType, schema)

/** JSON in a form field; what it holds is checked by the schema that it is piped into. */
const jsonText = z.string().transform((text, check): unknown => {
  try {
    return JSON.parse(text)
  } catch (error) {
    const message = `must be JSON: ${(error as Error).message.slice(0, 120)}`
    check.addIssue({ code: 'custom', message, input: text })
    return z.NEVER
  }
})

export const BatchOptions = z.strictObject({
  force_overwrite: z.boolean().optional(),
  collection_id: collectionId.optional(),
  batch_name: z
    .string()
    .min(1)
    .max(200)
    .refine((name) => name.isWellFormed() && !/\p{Cc}/u.test(name), {
      error: 'must not contain control characters or half a surrogate pair',
    })
    .optional(),
})
const { $schema: _, ...batchOptionsSchema } = z.toJSONSchema(BatchOptions)

const BatchCreation = z
  .strictObject({
    batch_id: batchId,
    status: z.literal('created'),
    total_items: count,
    created_at: timestamp,
    estimated_completion_seconds: count,
    estimated_completion: timestamp,
    collection: z.string(),
    cost_estimate: z
      .strictObject({
        total: dollars,
        breakdown: z.strictObject({
          processing: z.strictObject({
            document: dollars,
            image: dollars,
            video: dollars,
            audio: dollars,
            model: dollars,
          }),
          storage: dollars,
        }),
      })
      .describe('What was charged; duplicates that were known are free.'),
    settings: z.strictObject({ force_overwrite: z.boolean(), collection_id: z.string(), media_count: count }),
  })
  .meta({ id: 'BatchCreation' })

const Batch = z
  .strictObject({
    batch_id: batchId,
    batch_name: z.string().optional(),
    status: batchStatus,
    collection: z.string(),
    created_at: timestamp,
    started_at: timestamp.nullable(),
    completed_at: timestamp.nullable().describe('When it completed, failed or was cancelled.'),
    total_items: count,
    progress: z.strictObject({
      successful: count,
      skipped: count.describe('Duplicates: free.'),
      failed: count,
      pending: count,
      processing: count,
      percent,
    }),
    cost: z.strictObject({ charged: dollars, refunded: dollars, net: dollars }),
    estimated_completion: timestamp.nullable().describe('By measured times; null once it has ended.'),
    processing_jobs: z
      .array(
        z.strictObject({
          job_id: jobId,
          filename: z.string().optional(),
          percent: z.number().min(0).max(100).describe('How much of the file was worked on.'),
        }),
      )
      .optional()
      .describe('Files at work that take long, as recordings do. Not in lists.'),
  })
  .meta({ id: 'Batch' })

const JobResult = z
  .strictObject({
    job_id: jobId,
    media_id: mediaId.nullable().describe('`vec-<uuid>`; null for a failed file.'),
    filename: z.string().optional().describe('Until the item is deleted: that erases its name.'),
    media_type: mediaType,
    status: z
      .enum(['succeeded', 'failed', 'processed'])
      .describe('`processed`: a duplicate that was skipped; media_id is the item that was there.'),
    file_info: z.strictObject({ size_bytes: count, size_mb: z.number().min(0) }),
    processing_info: z.strictObject({ created_at: timestamp, completed_at: timestamp }),
    error: z
      .strictObject({
        message: z.string(),
        code: z.enum(JOB_ERROR_CODES),
        details: z.strictObject({ filename: z.string().optional(), resolution: z.string() }),
      })
      .optional(),
  })
  .meta({ id: 'JobResult' })

const BatchResults = z
  .strictObject({
    batch_summary: z.strictObject({
      batch_id: batchId,
      batch_name: z.string().optional(),
      collection: z.string(),
      status: batchStatus,
      timeline: z.strictObject({
        created_at: timestamp,
        started_at: timestamp.nullable(),
        completed_at: timestamp.nullable(),
        total_duration_seconds: z.number().min(0).nullable().describe('From its start to its end.'),
      }),
      completion: z.strictObject({
        successful: count.describe('Stored, or duplicates.'),
        failed: count,
        total_items: count,
        completion_rate: percent,
      }),
    }),
    job_results: z.array(JobResult).describe('Files that are done, in the order in which they were sent.'),
    statistics: z.strictObject({
      media_distribution: z.strictObject({
        by_type: byType(count),
        total_created_media_items: count.describe('Newly stored.'),
        media_ids_by_type: byType(z.array(mediaId)),
      }),
      completion: z.strictObject({ successful: count, failed: count, total: count, success_rate: percent }),
      resources: z.strictObject({ total_files_size_bytes: count, total_files_size_mb: z.number().min(0) }),
      error_summary: z
        .array(
          z.strictObject({
            error_type: z.enum(JOB_ERROR_CODES),
            count,
            affected_files: z.array(z.string()),
            resolution: z.string(),
          }),
        )
        .optional(),
    }),
    pagination,
  })
  .meta({ id: 'BatchResults' })

const params = z.strictObject({
  batch_id: z.string().meta({ example: 'batch_0190d3c2-6f0e-7b1a-9c1d-2f6f5f0a7b11' }),
})
const pageSize = integerText(1, 100)

export const batchRoutes = {
  createBatch: route({
    operationId: 'createBatch',
    method: 'post',
    path: '/v1/batches',
    tag: 'Batches',
    summary: 'Process up to 25 files, 100 MB in all',
    description:
      'Answers once the files are received and paid for; they are processed after that. 0.04 USD a file, duplicates free; what is not delivered is refunded.',
    access: 'write',
    paid: true,
    shape: 'C',
    renamed: { MISSING_FILE: 'VALIDATION_ERROR' },
    query: z.strictObject({}),
    mostFiles: MOST_BATCH_FILES,
    form: z.strictObject({
      force_overwrite: booleanText
        .optional()
        .meta({ shownDefault: false })
        .describe('Replace what is stored of the same content; else it is skipped.'),
      collection_id: collectionId.optional().describe('`default`, or where an overwritten item is.'),
      batch_options: jsonText
        .pipe(BatchOptions)
        .optional()
        .meta({
          ...batchOptionsSchema,
          description: 'As JSON. The form’s own fields win.',
          example: { batch_name: 'Autumn papers' },
        }),
    }),
    answer: z.strictObject({
      ...success,
      data: BatchCreation,
      metadata: z.strictObject({
        force_overwrite: z.boolean(),
        media_types: byType(count),
        collection_id: z.string(),
        request_id: z.string(),
      }),
      timestamp,
    }),
    errors: ['INVALID_MEDIA', 'QUOTA_EXCEEDED'],
  }),

  listBatches: route({
    operationId: 'listBatches',
    method: 'get',
    path: '/v1/batches',
    tag: 'Batches',
    summary: 'List batches, newest first',
    access: 'read',
    shape: 'B',
    query: z.strictObject({
      page: defaulting(pageText, 1),
      page_size: defaulting(pageSize, 20),
      status: batchStatus.optional(),
    }),
    answer: z.strictObject({
      ...success,
      data: z.strictObject({
        batches: z.array(Batch),
        pagination: pagination.extend({ has_next: z.boolean() }),
      }),
      timestamp,
    }),
  }),

  readBatch: route({
    operationId: 'readBatch',
    method: 'get',
    path: '/v1/batches/{batch_id}',
    tag: 'Batches',
    summary: 'How far a batch is, and what it cost',
    access: 'read',
    shape: 'B',
    params,
    query: z.strictObject({}),
    answer: z.strictObject({
      ...success,
      data: Batch,
      metadata: z.strictObject({ request_id: z.string() }),
      timestamp,
    }),
    errors: ['NOT_FOUND'],
  }),

  readBatchResults: route({
    operationId: 'readBatchResults',
    method: 'get',
    path: '/v1/batches/{batch_id}/results',
    tag: 'Batches',
    summary: 'What became of each file',
    description: 'May be read while the batch runs: it then holds the files that are done.',
    access: 'read',
    shape: 'B',
    params,
    query: z.strictObject({ page: defaulting(pageText, 1), page_size: defaulting(pageSize, 100) }),
    answer: z.strictObject({
      ...success,
      data: BatchResults,
      metadata: z.strictObject({
        request_id: z.string(),
        related_endpoints: z.record(z.string(), z.string()),
      }),
    }),
    errors: ['NOT_FOUND'],
  }),

  cancelBatch: route({
    operationId: 'cancelBatch',
    method: 'put',
    path: '/v1/batches/{batch_id}/state',
    tag: 'Batches',
    summary: 'Cancel a batch',
    description:
      'What is done stays; the rest is stopped and refunded. A body is ignored. A batch that has ended stays as it is.',
    access: 'write',
    shape: 'B',
    params,
    query: z.strictObject({}),
    answer: z.strictObject({
      ...success,
      data: z.strictObject({
        batch_id: batchId,
        previous_state: batchStatus,
        current_state: batchStatus,
        timestamp,
      }),
    }),
    errors: ['NOT_FOUND'],
  }),
}
