import type { Batch } from '@medialog/client'
import { Link } from 'wouter'
import { usePage } from '../data/pages.ts'
import { CopyAs } from '../parts/copy-as.tsx'
import { Pager } from '../parts/pager.tsx'
import { useParameters } from '../parts/parameters.ts'
import { Select } from '../parts/select.tsx'
import { Empty, Shown } from '../parts/states.tsx'
import { useTitle } from '../parts/title.ts'
import { number, Time, usd } from '../parts/values.tsx'
import { t } from '../texts/texts.ts'
import { LibraryTabs } from './library-tabs.tsx'

const STATUSES = Object.keys(t.batches.statuses) as Batch['status'][]

/** The batches of the account, the latest first, each with how far it is. */
export function Batches() {
  useTitle(t.batches.title)
  const [parameters, change] = useParameters()
  const status = STATUSES.find((name) => name === parameters.get('status'))
  const { input, read, to } = usePage('listBatches', { page_size: 25, ...(status && { status }) })
  return (
    <>
      <header className="view-head">
        <h1>{t.library.title}</h1>
      </header>
      <LibraryTabs />
      <div className="toolbar">
        <Select
          label={t.batches.status}
          options={[
            { value: '', label: t.batches.allStatuses },
            ...STATUSES.map((name) => ({ value: name, label: t.batches.statuses[name] })),
          ]}
          chosen={status ?? ''}
          choose={(name) => change({ status: name, page: null })}
        />
        <CopyAs id="listBatches" input={input} />
      </div>
      <Shown read={read} lines={5}>
        {({ batches, pagination }) =>
          batches.length === 0 ? (
            <Empty title={t.batches.empty}>
              <p>{t.batches.emptyText}</p>
            </Empty>
          ) : (
            <>
              <ul className="rows">
                {batches.map((batch) => (
                  <li key={batch.batch_id}>
                    <Link href={`/batches/${batch.batch_id}`} className="row">
                      <span className="what">
                        <span className="filename">
                          {batch.batch_name ?? t.batches.files(number(batch.total_items), batch.total_items)}
                        </span>
                        <span className="soft small">
                          <Time at={batch.created_at} /> · {batch.collection}
                        </span>
                      </span>
                      <BatchProgress batch={batch} />
                      <span className="number">{usd(batch.cost.net)}</span>
                    </Link>
                  </li>
                ))}
              </ul>
              <Pager {...pagination} to={to} />
            </>
          )
        }
      </Shown>
    </>
  )
}

/** Its state in a word, and how much of it is done. */
export function BatchProgress({ batch: { status, progress, total_items } }: { batch: Batch }) {
  const done = progress.successful + progress.skipped + progress.failed
  return (
    <span className="batch-progress">
      <span className={`state ${status}`}>{t.batches.statuses[status]}</span>
      <progress value={progress.percent} max={100} aria-label={t.batches.progress} />
      <span className="soft small">{t.batches.done(number(done), number(total_items))}</span>
    </span>
  )
}
