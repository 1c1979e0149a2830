import type { Batch as BatchView, JobResult } from '@medialog/client'
import { Link } from 'wouter'
import { usePage } from '../data/pages.ts'
import { useRead } from '../data/reads.ts'
import { useItemWrite } from '../data/writes.ts'
import { Confirm } from '../parts/confirm.tsx'
import { Figure } from '../parts/figure.tsx'
import { CopyAs } from '../parts/copy-as.tsx'
import { Pager } from '../parts/pager.tsx'
import { Shown } from '../parts/states.tsx'
import { useTitle } from '../parts/title.ts'
import { bytes, Id, number, Time, usd } from '../parts/values.tsx'
import { t } from '../texts/texts.ts'
import { BatchProgress } from './batches.tsx'
import { Back } from '../parts/back.tsx'

/** One batch: how far it is, what it costs, and the outcome of each file. */
export function Batch({ batchId }: { batchId: string }) {
  useTitle(t.batches.one)
  const read = useRead('readBatch', { batch_id: batchId })
  const { read: results, to } = usePage('readBatchResults', { batch_id: batchId, page_size: 100 })
  const cancel = useItemWrite((client, id: string) => client.cancelBatch({ batch_id: id }))
  return (
    <>
      <Back to="/batches">{t.batches.title}</Back>
      {!read.data && <h1 className="visually-hidden">{t.batches.one}</h1>}
      <Shown read={read}>
        {(batch) => (
          <>
            <header className="view-head">
              <h1>{batch.batch_name ?? t.batches.files(number(batch.total_items), batch.total_items)}</h1>
              <p className="soft">
                <Time at={batch.created_at} /> ·{' '}
                <Link href={`/library?collection=${encodeURIComponent(batch.collection)}`}>
                  {batch.collection}
                </Link>
              </p>
            </header>
            <Id value={batch.batch_id} /> <CopyAs id="readBatch" input={{ batch_id: batchId }} />
            <div className="batch-head">
              <BatchProgress batch={batch} />
              <dl className="figures">
                <Figure name={t.batches.charged}>{usd(batch.cost.charged)}</Figure>
                <Figure name={t.batches.refunded}>{usd(batch.cost.refunded)}</Figure>
                <Figure name={t.batches.net}>{usd(batch.cost.net)}</Figure>
              </dl>
              {(batch.status === 'created' || batch.status === 'running') && (
                <Confirm
                  action={t.batches.cancel}
                  keep={t.batches.keep}
                  title={t.batches.cancelTitle}
                  text={t.batches.cancelText}
                  isPending={cancel.isPending}
                  error={cancel.error}
                  confirm={(done) => cancel.mutate(batchId, { onSuccess: done })}
                />
              )}
            </div>
            <Shown read={results}>
              {({ job_results, pagination }) => (
                <>
                  <ul className="rows">
                    {batch.processing_jobs?.map((job) => (
                      <JobAtWork key={job.job_id} job={job} />
                    ))}
                    {job_results.map((job) => (
                      <Job key={job.job_id} job={job} />
                    ))}
                  </ul>
                  <Pager {...pagination} to={to} />
                </>
              )}
            </Shown>
          </>
        )}
      </Shown>
    </>
  )
}

type ProcessingJob = NonNullable<BatchView['processing_jobs']>[number]

/** A file that takes long, and how far it is. */
function JobAtWork({ job: { filename, percent } }: { job: ProcessingJob }) {
  return (
    <li className="row">
      <span className="what">
        <bdi className="filename">{filename ?? t.batches.erased}</bdi>
      </span>
      <progress value={percent} max={100} aria-label={t.batches.progress} />
      <span className="state running">{t.batches.processing(number(percent))}</span>
    </li>
  )
}

function Job({ job: { filename, status, media_id, file_info, error } }: { job: JobResult }) {
  return (
    <li className="row">
      <span className="what">
        <bdi className="filename">
          {media_id === null || filename === undefined ? (
            (filename ?? t.batches.erased)
          ) : (
            <Link href={`/library/${media_id}`}>{filename}</Link>
          )}
        </bdi>
        {error && <span className="small problem">{error.message}</span>}
      </span>
      <span className={`state ${status}`}>{t.batches.jobs[status]}</span>
      <span className="number soft">{bytes(file_info.size_bytes)}</span>
    </li>
  )
}
