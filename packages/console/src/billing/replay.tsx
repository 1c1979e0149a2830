import { MedialogError, type LedgerReport, type Posting, type Proof } from '@medialog/client'
import { useEffect, useRef, useState } from 'react'
import { Figure } from '../parts/figure.tsx'
import { CopyAs } from '../parts/copy-as.tsx'
import { fromNano, nano } from '../parts/money.ts'
import { Failure } from '../parts/states.tsx'
import { useTitle } from '../parts/title.ts'
import { number, usd } from '../parts/values.tsx'
import { useSession } from '../session/session.ts'
import { t } from '../texts/texts.ts'
import { linesOf } from './lines.ts'
import { OwnProof } from './own-proof.tsx'
import { ProofLines } from './proof-lines.tsx'

/** This page's own sums, in nano-USD. */
interface Sum {
  postings: number
  balance: number
  credited: number
  charged: number
  refunded: number
}

const NOTHING: Sum = { postings: 0, balance: 0, credited: 0, charged: 0, refunded: 0 }
const PARTS = ['credited', 'charged', 'refunded'] as const
/** Between two lines of the proof: each is to be read. */
const LINE_MS = 250
/** Postings between two looks at the sum. */
const SHOWN_EVERY = 25

function added(sum: Sum, { kind, amount }: Posting): Sum {
  const part = kind === 'credit' ? 'credited' : kind === 'charge' ? 'charged' : 'refunded'
  const value = nano(amount)
  return {
    ...sum,
    postings: sum.postings + 1,
    balance: sum.balance + value,
    [part]: sum[part] + Math.abs(value),
  }
}

/** The whole bill from the events: the service replays them, this page adds the postings up as well, and both must agree. */
export function Replay() {
  useTitle(t.billing.tabs.replay)
  const { client } = useSession()
  const [sum, setSum] = useState<Sum | null>(null)
  const [report, setReport] = useState<LedgerReport | null>(null)
  const [shown, setShown] = useState(0)
  const [error, setError] = useState<MedialogError | null>(null)
  const running = useRef<AbortController | null>(null)
  useEffect(() => () => running.current?.abort(), [])

  async function replay(): Promise<void> {
    running.current?.abort()
    const { signal } = (running.current = new AbortController())
    setSum(NOTHING)
    setReport(null)
    setShown(0)
    setError(null)
    try {
      const reply = await client.open('readLedger', {}, { signal, accept: 'application/x-ndjson' })
      let total = NOTHING
      for await (const line of linesOf(reply.body)) {
        const { posting, report } = JSON.parse(line) as { posting?: Posting; report?: LedgerReport }
        if (posting) total = added(total, posting)
        if (report || total.postings % SHOWN_EVERY === 0) setSum(total)
        if (report) return setReport(report)
      }
      throw new MedialogError('BROKEN_OFF', t.replay.brokenOff)
    } catch (failure) {
      if (!signal.aborted) setError(failure as MedialogError)
    }
  }

  const lines = report && sum ? [...report.proof.lines, ownLine(sum, report)] : []
  useEffect(() => {
    if (shown >= lines.length) return
    const timer = setTimeout(() => setShown(shown + 1), LINE_MS)
    return () => clearTimeout(timer)
  }, [shown, lines.length])
  const isProven = lines.length > 0 && shown >= lines.length
  return (
    <div className="replay">
      <p className="soft">{t.replay.lead}</p>
      <div className="actions">
        <button type="button" className="primary button" onClick={() => void replay()}>
          {sum ? t.replay.again : t.replay.start}
        </button>
        <CopyAs id="readLedger" input={{}} />
      </div>
      {error && <Failure error={error} />}
      {sum && (
        <dl className="figures" aria-busy={!report}>
          <Figure name={t.replay.postings}>{number(sum.postings)}</Figure>
          {PARTS.map((part) => (
            <Figure key={part} name={t.billing[part]}>
              {usd(fromNano(sum[part]))}
            </Figure>
          ))}
          <Figure name={t.billing.balance}>{usd(fromNano(sum.balance))}</Figure>
        </dl>
      )}
      {lines.length > 0 && <ProofLines lines={lines.slice(0, shown)} />}
      <p role="status" className="verdict">
        {isProven && (lines.every(({ holds }) => holds) ? t.replay.proven : t.replay.notProven)}
      </p>
      <OwnProof />
    </div>
  )
}

/** The line of the proof that does not rest on the service's word. */
function ownLine(sum: Sum, { closing_balance, totals }: LedgerReport): Proof['lines'][number] {
  const compared: [name: string, here: number, there: number][] = [
    ...PARTS.map((part): [string, number, number] => [t.billing[part], sum[part], nano(totals[part])]),
    [t.billing.balance, sum.balance, nano(closing_balance)],
  ]
  const faults = compared
    .filter(([, here, there]) => here !== there)
    .map(([subject, here, there]) => ({
      subject,
      reason: t.replay.differs(usd(fromNano(here)), usd(fromNano(there))),
    }))
  return {
    name: 'sums',
    statement: t.replay.own,
    holds: faults.length === 0,
    checked: sum.postings,
    fault_count: faults.length,
    faults,
  }
}
