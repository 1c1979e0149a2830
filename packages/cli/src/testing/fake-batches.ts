import {
  LATER,
  ok,
  refused,
  refusedB,
  TIME,
  type Received,
  type Reply,
  type Routes,
  type State,
} from './wire.ts'

/** Batches whose files are done one after the other, one with every look. Files named `broken…` fail, `long…` are shown at work. */
export function batchRoutes({ batches }: State): Routes {
  const known =
    (answer: (id: string, files: readonly string[], done: number) => Reply) => (_: Received, id: string) => {
      const batch = batches.get(id)
      if (!batch) return refusedB(404, 'not_found', 'There is no such batch.')
      return answer(
        id,
        batch.files,
        batch.cancelled ? batch.files.length : Math.min(batch.looks, batch.files.length),
      )
    }
  const failedOf = (files: readonly string[]) => files.filter((name) => name.startsWith('broken'))

  function view(id: string, files: readonly string[], done: number): object {
    const { name, cancelled } = batches.get(id)!
    const failed = failedOf(files.slice(0, done)).length
    const ended = done === files.length
    const status = cancelled ? 'cancelled' : ended ? 'completed' : 'running'
    return {
      batch_id: id,
      ...(name !== undefined && { batch_name: name }),
      status,
      collection: 'default',
      created_at: TIME,
      started_at: TIME,
      completed_at: ended ? LATER : null,
      total_items: files.length,
      progress: {
        successful: done - failed,
        skipped: 0,
        failed,
        pending: files.length - done,
        processing: 0,
        percent: (100 * done) / files.length,
      },
      cost: { charged: 0.04 * files.length, refunded: 0.04 * failed, net: 0.04 * (files.length - failed) },
      estimated_completion: ended ? null : LATER,
      ...(!ended &&
        files[done]!.startsWith('long') && {
          processing_jobs: [{ job_id: `job_${done}`, filename: files[done], percent: 40 }],
        }),
    }
  }

  function create({ files = [], body }: Received): Reply {
    const unsupported = files.flatMap(({ filename }, index) =>
      filename.endsWith('.xyz')
        ? [{ index, filename, code: 'unsupported_file_type', reason: 'This type of file is not supported.' }]
        : [],
    )
    if (unsupported.length > 0)
      return refused(400, 'INVALID_MEDIA', 'Files cannot be processed.', { files: unsupported })
    const id = `batch_${batches.size + 1}`
    const { batch_name: name } = JSON.parse((body.batch_options as string | undefined) ?? '{}') as {
      batch_name?: string
    }
    batches.set(id, { files: files.map(({ filename }) => filename), name, looks: 0, cancelled: false })
    return ok({
      batch_id: id,
      status: 'created',
      total_items: files.length,
      created_at: TIME,
      estimated_completion_seconds: 4,
      estimated_completion: LATER,
      collection: (body.collection_id as string | undefined) ?? 'default',
      cost_estimate: { total: Number((0.04 * files.length).toFixed(2)), breakdown: {} },
    })
  }

  function cancel(id: string): Reply {
    const batch = batches.get(id)!
    const before = batch.cancelled ? 'cancelled' : 'running'
    batch.cancelled = true
    return ok({ batch_id: id, previous_state: before, current_state: 'cancelled', timestamp: LATER })
  }

  const jobOf = (filename: string, index: number): object => {
    const hasFailed = filename.startsWith('broken')
    return {
      job_id: `job_${index}`,
      media_id: hasFailed ? null : `vec-${index}`,
      filename,
      media_type: 'document',
      status: hasFailed ? 'failed' : 'succeeded',
      file_info: { size_bytes: 1200, size_mb: 0.0012 },
      processing_info: { created_at: TIME, completed_at: LATER },
      ...(hasFailed && { error: { message: 'The file is damaged.', code: 'corrupted_file', details: {} } }),
    }
  }

  return [
    ['POST', /^\/v1\/batches$/, create],
    [
      'GET',
      /^\/v1\/batches$/,
      () =>
        ok({
          batches: [...batches].map(([id, { files, looks }]) =>
            view(id, files, Math.min(looks, files.length)),
          ),
          pagination: { page: 1, page_size: 20, total_items: batches.size, total_pages: 1, has_next: false },
        }),
    ],
    [
      'GET',
      /^\/v1\/batches\/([^/]+)$/,
      known((id, files, done) => {
        batches.get(id)!.looks++
        return ok(view(id, files, done))
      }),
    ],
    [
      'GET',
      /^\/v1\/batches\/([^/]+)\/results$/,
      known((_, files, done) => {
        const failed = failedOf(files.slice(0, done))
        const summary = {
          error_type: 'corrupted_file',
          count: failed.length,
          affected_files: failed,
          resolution: 'Repair it.',
        }
        return ok({
          job_results: files.slice(0, done).map(jobOf),
          statistics: failed.length > 0 ? { error_summary: [summary] } : {},
        })
      }),
    ],
    ['PUT', /^\/v1\/batches\/([^/]+)\/state$/, known(cancel)],
  ]
}
