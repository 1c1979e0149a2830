import { counted } from '@medialog/kernel'
import type { Batch, BatchCreation, BatchPage, BatchResults, CancelledBatch } from '../client/answers.ts'
import { bar } from '../terminal/bar.ts'
import { bytes, dollars, localTime, percent, seconds } from '../terminal/format.ts'
import type { Look, Paint } from '../terminal/look.ts'
import { pairs, table } from '../terminal/table.ts'
import { clean, truncate } from '../terminal/text.ts'

type Job = BatchResults['job_results'][number]

export function renderCreated(created: BatchCreation, look: Look): string[] {
  const { batch_id: id, total_items: files, collection, cost_estimate: cost } = created
  return [
    `${look.good('✓')} ${look.accent(clean(id))}  ${counted(files, 'file')} in ${look.bold(clean(collection))}, ${dollars(cost.total)} charged`,
    look.dim(
      `about ${seconds(created.estimated_completion_seconds * 1000)}: medialog batch show ${clean(id)} --follow`,
    ),
  ]
}

export function renderBatches({ batches, pagination }: BatchPage, look: Look): string[] {
  if (batches.length === 0) return ['No batches.']
  const rows = table(
    batches,
    [
      { title: 'BATCH', value: ({ batch_id: id }) => clean(id), paint: (_, { accent }) => accent },
      {
        title: 'STATUS',
        value: ({ status }) => clean(status),
        paint: ({ status }, look) => paintOf(status, look),
      },
      { title: 'DONE', value: ({ progress }) => percent(progress.percent / 100), align: 'right' },
      { title: 'FILES', value: ({ total_items: files }) => String(files), align: 'right' },
      { title: 'FAILED', value: ({ progress }) => String(progress.failed), align: 'right' },
      { title: 'COST', value: ({ cost }) => dollars(cost.net), align: 'right' },
      { title: 'NAME', value: ({ batch_name: name }) => clean(name ?? ''), shrinks: 'end', drops: true },
      {
        title: 'CREATED',
        value: ({ created_at: at }) => localTime(at),
        drops: true,
        paint: (_, { dim }) => dim,
      },
    ],
    look,
  )
  const { page, total_pages: pages, total_items: total, has_next: hasNext } = pagination
  const next = hasNext ? ` Next: --page ${page + 1}` : ''
  return pages > 1 ? [...rows, look.dim(`Page ${page} of ${pages}, ${total} batches.${next}`)] : rows
}

export function renderBatch(batch: Batch, look: Look): string[] {
  const { progress, cost, started_at: started, completed_at: completed } = batch
  const entries: [string, string][] = [
    ['batch', look.accent(clean(batch.batch_id))],
    ['status', paintOf(batch.status, look)(clean(batch.status))],
    ['collection', clean(batch.collection)],
    ['files', `${batch.total_items}: ${numbersOf(progress)}`],
    ...atWork(batch).map((file): [string, string] => ['at work', file]),
    ['cost', `${dollars(cost.net)} (${dollars(cost.charged)} charged, ${dollars(cost.refunded)} refunded)`],
    ['created', localTime(batch.created_at)],
  ]
  if (completed)
    entries.push(['took', seconds(Date.parse(completed) - Date.parse(started ?? batch.created_at))])
  else if (batch.estimated_completion) entries.push(['done about', localTime(batch.estimated_completion)])
  return [...(batch.batch_name ? [look.bold(clean(batch.batch_name))] : []), ...pairs(entries, look)]
}

/** The line that follows a batch at work. */
export function renderBatchProgress(batch: Batch, look: Look): string {
  const { progress, total_items: files } = batch
  const done = progress.successful + progress.skipped + progress.failed
  const room = Math.max(0, look.width - 46)
  return `${look.accent(bar(progress.percent / 100, 24))}  ${done}/${files} files  ${look.dim(truncate([numbersOf(progress), ...atWork(batch)].join(', '), room))}`
}

export function renderResults({ job_results: jobs, statistics }: BatchResults, look: Look): string[] {
  if (jobs.length === 0) return ['No file is done yet.']
  const hints = (statistics.error_summary ?? []).map(
    ({ error_type: code, count: failed, resolution }) =>
      `${look.bad(clean(code))} ${look.dim(`${counted(failed, 'file')}: ${clean(resolution)}`)}`,
  )
  return [
    ...table(
      jobs,
      [
        { title: 'FILE', value: ({ filename }) => clean(filename ?? '(erased)'), shrinks: 'middle' },
        { title: 'OUTCOME', value: outcomeOf, paint: (job, look) => paintOf(job.status, look) },
        {
          title: 'ITEM',
          value: ({ media_id: id }) => clean(id ?? ''),
          paint: (_, { accent }) => accent,
          drops: true,
        },
        { title: 'TYPE', value: ({ media_type: type }) => clean(type), drops: true },
        {
          title: 'SIZE',
          value: ({ file_info: file }) => bytes(file.size_bytes),
          align: 'right',
          drops: true,
        },
      ],
      look,
    ),
    ...hints,
  ]
}

export function renderCancelled(
  { batch_id: id, previous_state: before, current_state: now }: CancelledBatch,
  look: Look,
): string[] {
  return [
    before === now
      ? `${look.warn('=')} ${look.accent(clean(id))} was ${clean(now)} already`
      : `${look.good('✓')} ${look.accent(clean(id))} cancelled; what was not done is refunded`,
  ]
}

function outcomeOf({ status, error }: Job): string {
  if (error) return clean(error.code)
  return status === 'processed' ? 'duplicate, free' : 'stored'
}

const numbersOf = ({ successful, skipped, failed, processing, pending }: Batch['progress']): string =>
  [
    `${successful} stored`,
    skipped > 0 && counted(skipped, 'duplicate'),
    failed > 0 && `${failed} failed`,
    processing > 0 && `${processing} at work`,
    pending > 0 && `${pending} waiting`,
  ]
    .filter((part) => part !== false)
    .join(', ')

/** Files that take long, with how much of each was worked on. */
const atWork = ({ processing_jobs: jobs = [] }: Batch): string[] =>
  jobs.map(({ filename, job_id: id, percent: done }) => `${clean(filename ?? id)} ${percent(done / 100)}`)

const PAINTS: ReadonlyMap<string, (look: Look) => Paint> = new Map(
  Object.entries<(look: Look) => Paint>({
    completed: ({ good }) => good,
    succeeded: ({ good }) => good,
    failed: ({ bad }) => bad,
  }),
)
const paintOf = (status: string, look: Look): Paint =>
  (PAINTS.get(status) ?? (({ warn }: Look) => warn))(look)
