import { fileNamesOf, submittedBatch, type SubmittedBatch } from '@medialog/application'
import { BatchNotFound } from '@medialog/domain'
import type { Uuid } from '@medialog/kernel'
import type { IngestPorts } from './ports.ts'

/** A batch with the names of its files. @throws BatchNotFound */
export async function readBatch(
  { eventStore }: Pick<IngestPorts, 'eventStore'>,
  batchId: Uuid,
): Promise<SubmittedBatch> {
  const submitted = await submittedBatch(eventStore, batchId)
  if (!submitted) throw new BatchNotFound()
  const { intent, origin } = submitted
  const names = await fileNamesOf(eventStore, batchId)
  const jobs = intent.jobs.map((job) => ({ ...job, filename: names.get(job.jobId) ?? '' }))
  return { intent: { ...intent, jobs }, origin }
}
