import type { Posting } from '@medialog/client'
import { Link } from 'wouter'
import { CopyAs } from '../parts/copy-as.tsx'
import { Figure } from '../parts/figure.tsx'
import { Pager } from '../parts/pager.tsx'
import { useParameters } from '../parts/parameters.ts'
import { Scrolling } from '../parts/scrolling.tsx'
import { Empty, Shown } from '../parts/states.tsx'
import { TableHead } from '../parts/table-head.tsx'
import { useTitle } from '../parts/title.ts'
import { Amount, dateTime, usd } from '../parts/values.tsx'
import { t } from '../texts/texts.ts'
import { useLedgerPage } from './ledger-page.ts'

const PAGE_SIZE = 50

/** Every posting with what caused it, a month or all of them; the last page first. */
export function Ledger() {
  useTitle(t.billing.tabs.ledger)
  const [parameters, change] = useParameters()
  const month = parameters.get('month') ?? ''
  const chosen = parameters.get('page') ?? ''
  const { input, read } = useLedgerPage(
    { page_size: PAGE_SIZE, ...(month && { month }) },
    /^[1-9]\d{0,5}$/.test(chosen) ? Number(chosen) : null,
  )
  return (
    <>
      <div className="toolbar">
        <Month value={month} choose={(value) => change({ month: value, page: null })} />
        <CopyAs id="readLedger" input={input} />
      </div>
      <Shown read={read} lines={8}>
        {({ postings, pagination, totals, opening_balance, closing_balance }) => (
          <>
            <dl className="figures">
              <Figure name={t.billing.opening}>{usd(opening_balance)}</Figure>
              <Figure name={t.billing.credited}>{usd(totals.credited)}</Figure>
              <Figure name={t.billing.charged}>{usd(totals.charged)}</Figure>
              <Figure name={t.billing.refunded}>{usd(totals.refunded)}</Figure>
              <Figure name={t.billing.closing}>{usd(closing_balance)}</Figure>
            </dl>
            {postings.length === 0 ? (
              <Empty title={t.billing.noPostings} />
            ) : (
              <Scrolling label={t.billing.tabs.ledger}>
                <table className="ledger">
                  <TableHead
                    caption={t.billing.tabs.ledger}
                    columns={[
                      t.billing.when,
                      t.billing.what,
                      t.billing.cause,
                      t.billing.amount,
                      t.billing.balance,
                    ]}
                  />
                  <tbody>
                    {postings.map((posting) => (
                      <Row key={posting.event_id} posting={posting} />
                    ))}
                  </tbody>
                </table>
              </Scrolling>
            )}
            <Pager {...pagination} to={(next) => change({ page: String(next) })} />
          </>
        )}
      </Shown>
    </>
  )
}

export const Month = ({ value, choose }: { value: string; choose: (month: string) => void }) => (
  <label className="month">
    <span className="soft">{t.billing.month}</span>
    <input type="month" className="select" value={value} onChange={({ target }) => choose(target.value)} />
  </label>
)

function Row({ posting: { at, kind, amount, balance, lines, cause } }: { posting: Posting }) {
  return (
    <tr>
      <td className="soft">
        <time dateTime={at}>{dateTime(at)}</time>
      </td>
      <td>
        <strong>{t.billing.kinds[kind]}</strong>{' '}
        <span className="soft">{lines.map(({ price }) => t.billing.price(price)).join(', ')}</span>
      </td>
      <td>
        <Cause cause={cause} />
      </td>
      <td className="number">
        <Amount value={amount} />
      </td>
      <td className="number">{usd(balance)}</td>
    </tr>
  )
}

/** What it was for, with the way there. */
function Cause({
  cause: { media_id, batch_id, request_id, filename, files, operation, reference },
}: Pick<Posting, 'cause'>) {
  const name =
    filename ??
    reference ??
    (files !== undefined && files > 1 ? t.batches.files(String(files), files) : operation)
  return (
    <>
      {batch_id !== undefined ? (
        <Link href={`/batches/${batch_id}`}>{name ?? batch_id}</Link>
      ) : media_id === undefined ? (
        <span>{name}</span>
      ) : (
        <Link href={`/library/${media_id}/life`}>
          <bdi>{name ?? media_id}</bdi>
        </Link>
      )}{' '}
      {request_id !== undefined && (
        <Link href={`/requests/${request_id}`} className="small">
          {t.states.request}
        </Link>
      )}
    </>
  )
}
