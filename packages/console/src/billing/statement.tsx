import { useState } from 'react'
import { textOf } from '@medialog/client'
import { useRead } from '../data/reads.ts'
import { CopyAs } from '../parts/copy-as.tsx'
import { Figure } from '../parts/figure.tsx'
import { useParameters } from '../parts/parameters.ts'
import { save } from '../parts/save.ts'
import { Shown } from '../parts/states.tsx'
import { useTitle } from '../parts/title.ts'
import { dateTime, usd } from '../parts/values.tsx'
import { useSession } from '../session/session.ts'
import { Caption } from '../parts/caption.tsx'
import { t } from '../texts/texts.ts'
import { Month } from './ledger.tsx'
import { ProofLines } from './proof-lines.tsx'
import { Problem } from '../parts/problem.tsx'

const FORMATS = { csv: 'text/csv', html: 'text/html', json: 'application/json' } as const
type Format = keyof typeof FORMATS

/** A month on one page, to read, to keep and to print. */
export function StatementView() {
  useTitle(t.billing.tabs.statement)
  const { client } = useSession()
  const [parameters, change] = useParameters()
  const [problem, setProblem] = useState<string | null>(null)
  const month = parameters.get('month') ?? new Date().toISOString().slice(0, 7)
  const read = useRead('readStatement', { month }, { keepsPrevious: true })
  async function download(format: Format): Promise<void> {
    setProblem(null)
    try {
      const reply = await client.open('readStatement', { month, format }, { accept: FORMATS[format] })
      save(`statement-${month}.${format}`, new Blob([await textOf(reply)], { type: FORMATS[format] }))
    } catch (error) {
      setProblem((error as Error).message)
    }
  }
  return (
    <>
      <div className="toolbar">
        <Month value={month} choose={(value) => change({ month: value })} />
        {(Object.keys(FORMATS) as Format[]).map((format) => (
          <button key={format} type="button" className="button" onClick={() => void download(format)}>
            {t.statement.formats[format]}
          </button>
        ))}
        <CopyAs id="readStatement" input={{ month }} />
      </div>
      <Problem>{problem}</Problem>
      <Shown read={read} lines={6}>
        {(statement) => (
          <article className="statement">
            <h2>{t.statement.title(statement.month)}</h2>
            <p className="soft">
              {statement.account_name} · {statement.final ? t.statement.final : t.statement.open} ·{' '}
              {t.statement.made} {dateTime(statement.made_at)}
            </p>
            <dl className="figures">
              <Figure name={t.billing.opening}>{usd(Number(statement.opening_balance))}</Figure>
              <Figure name={t.billing.credited}>{usd(Number(statement.credited))}</Figure>
              <Figure name={t.billing.charged}>{usd(Number(statement.charged))}</Figure>
              <Figure name={t.billing.refunded}>{usd(Number(statement.refunded))}</Figure>
              <Figure name={t.billing.closing}>{usd(Number(statement.closing_balance))}</Figure>
            </dl>
            <table className="plain-table">
              <Caption>{t.statement.title(statement.month)}</Caption>
              <tbody>
                {Object.entries(statement.costs).map(([key, cost]) => (
                  <tr key={key}>
                    <th scope="row">{t.billing.price(key)}</th>
                    <td className="number">{usd(Number(cost))}</td>
                  </tr>
                ))}
              </tbody>
            </table>
            <ProofLines lines={statement.proof.lines} />
          </article>
        )}
      </Shown>
    </>
  )
}
