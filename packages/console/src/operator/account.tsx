import type { Account } from '@medialog/client'
import { useState, type FormEvent } from 'react'
import { ProofLines } from '../billing/proof-lines.tsx'
import { useRead } from '../data/reads.ts'
import { useWrite } from '../data/writes.ts'
import { Figure } from '../parts/figure.tsx'
import { Confirm } from '../parts/confirm.tsx'
import { CopyAs } from '../parts/copy-as.tsx'
import { Select } from '../parts/select.tsx'
import { Shown } from '../parts/states.tsx'
import { useTitle } from '../parts/title.ts'
import { balanceText, Id, number, Time, usd } from '../parts/values.tsx'
import { t } from '../texts/texts.ts'
import { Keys } from './keys.tsx'
import { isMuch, MuchCredit } from './much-credit.tsx'
import { Reprice } from './reprice.tsx'
import { TIERS } from './accounts.tsx'
import { Problem } from '../parts/problem.tsx'
import { Back } from '../parts/back.tsx'

const CHANGED = ['readAccount', 'listAccounts', 'readAccountLedger'] as const

/** One account: what it has, what it may, its keys, and the proof of its bill. */
export function AccountView({ accountId }: { accountId: string }) {
  const read = useRead('readAccount', { account_id: accountId })
  useTitle(read.data?.name ?? t.operator.accounts)
  return (
    <div className="detail">
      <Back to="/operator/accounts">{t.operator.accounts}</Back>
      <Shown read={read}>
        {(account) => (
          <>
            <h2 className="detail-title">
              <bdi>{account.name}</bdi>
            </h2>
            <Id value={accountId} />
            <CopyAs id="readAccount" input={{ account_id: accountId }} />
            <dl className="figures">
              <Figure name={t.billing.balance}>{balanceText(account.balance)}</Figure>
              <Figure name={t.accounts.state} className={`state ${account.payment_status}`}>
                {t.accounts.states[account.payment_status]}
              </Figure>
              <Figure name={t.accounts.opened}>
                <Time at={account.created_at} />
              </Figure>
            </dl>
            {account.payment_status !== 'closed' && (
              <>
                <Changes account={account} />
                <Keys accountId={accountId} />
              </>
            )}
            <ProvenBill accountId={accountId} />
          </>
        )}
      </Shown>
    </div>
  )
}

function Changes({ account: { account_id, name, tier, payment_status } }: { account: Account }) {
  const [amount, setAmount] = useState('')
  const [reference, setReference] = useState('')
  const id = { account_id }
  const credit = useWrite(
    (client, input: { amount: number; reference?: string }, idempotencyKey) =>
      client.creditAccount({ ...id, ...input }, { idempotencyKey }),
    CHANGED,
  )
  const change = useWrite((client, to: Account['tier']) => client.changeTier({ ...id, tier: to }), CHANGED)
  const turn = useWrite(
    (client, state: 'active' | 'suspended') => client.changeState({ ...id, state }),
    CHANGED,
  )
  const close = useWrite((client) => client.closeAccount(id), CHANGED)
  const [isAsking, setAsking] = useState(false)
  function give(): void {
    credit.mutate(
      { amount: Number(amount), ...(reference.trim() !== '' && { reference: reference.trim() }) },
      {
        onSuccess() {
          setAmount('')
          setReference('')
          setAsking(false)
        },
      },
    )
  }
  function submit(event: FormEvent): void {
    event.preventDefault()
    if (isMuch(amount)) setAsking(true)
    else give()
  }
  return (
    <>
      <form className="inline-form" onSubmit={submit}>
        <label className="field">
          <span>{t.accounts.credit}</span>
          <input
            type="number"
            min={0}
            step="any"
            required
            value={amount}
            onChange={({ target }) => setAmount(target.value)}
          />
        </label>
        <label className="field">
          <span>{t.accounts.reference}</span>
          <input value={reference} onChange={({ target }) => setReference(target.value)} />
        </label>
        <button type="submit" className="button" aria-disabled={credit.isPending}>
          {t.accounts.giveCredit}
        </button>
      </form>
      <div className="toolbar">
        <Select
          label={t.key.tier}
          options={TIERS.map((each) => ({ value: each, label: t.key.tiers[each] }))}
          chosen={tier}
          choose={(to) => change.mutate(to)}
        />
        {payment_status === 'active' ? (
          <Confirm
            action={t.accounts.suspend}
            className="button"
            title={t.accounts.suspendTitle(name)}
            text={t.accounts.suspendText}
            isPending={turn.isPending}
            error={turn.error}
            confirm={(done) => turn.mutate('suspended', { onSuccess: done })}
          />
        ) : (
          <button type="button" className="button" onClick={() => turn.mutate('active')}>
            {t.accounts.reinstate}
          </button>
        )}
        <Confirm
          action={t.accounts.close}
          title={t.accounts.closeTitle}
          text={t.accounts.closeText}
          words={name}
          isPending={close.isPending}
          error={close.error}
          confirm={(done) => close.mutate(undefined, { onSuccess: done })}
        />
      </div>
      <Problem>{(credit.error ?? change.error ?? turn.error)?.message}</Problem>
      {isAsking && (
        <MuchCredit
          amount={amount}
          name={name}
          action={t.accounts.giveCredit}
          isPending={credit.isPending}
          error={credit.error}
          give={give}
          cancel={() => setAsking(false)}
        />
      )}
    </>
  )
}

function ProvenBill({ accountId }: { accountId: string }) {
  const read = useRead('readAccountLedger', { account_id: accountId, page_size: 1 })
  return (
    <section className="section">
      <h2>{t.accounts.bill}</h2>
      <Shown read={read}>
        {({ totals, costs, pagination, proof }) => (
          <>
            <dl className="figures">
              <Figure name={t.replay.postings}>{number(pagination.total_items)}</Figure>
              {(['credited', 'charged', 'refunded'] as const).map((part) => (
                <Figure key={part} name={t.billing[part]}>
                  {usd(totals[part])}
                </Figure>
              ))}
            </dl>
            <ProofLines lines={proof.lines} />
            <Reprice accountId={accountId} prices={Object.keys(costs)} />
          </>
        )}
      </Shown>
    </section>
  )
}
