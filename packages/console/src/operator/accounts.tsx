import { useState, type FormEvent } from 'react'
import { Link, useLocation } from 'wouter'
import type { OpenAccountRequest } from '@medialog/client'
import { usePage } from '../data/pages.ts'
import { useWrite } from '../data/writes.ts'
import { CopyAs } from '../parts/copy-as.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { FormEnd } from '../parts/form-end.tsx'
import { Pager } from '../parts/pager.tsx'
import { Shown } from '../parts/states.tsx'
import { useTitle } from '../parts/title.ts'
import { balanceText, Time } from '../parts/values.tsx'
import { t } from '../texts/texts.ts'
import { isMuch, MuchCredit } from './much-credit.tsx'

export const TIERS = Object.keys(t.key.tiers) as (keyof typeof t.key.tiers)[]

/** Every account, with what it has left. */
export function Accounts() {
  useTitle(t.operator.accounts)
  const [isOpening, setOpening] = useState(false)
  const { input, read, to } = usePage('listAccounts', { page_size: 50 })
  return (
    <>
      <div className="toolbar">
        <button type="button" className="primary button" onClick={() => setOpening(true)}>
          {t.accounts.open}
        </button>
        <CopyAs id="listAccounts" input={input} />
      </div>
      <Shown read={read} lines={5}>
        {({ accounts, pagination }) => (
          <>
            <ul className="rows">
              {accounts.map(({ account_id, name, tier, balance, payment_status, created_at }) => (
                <li key={account_id}>
                  <Link href={`/operator/accounts/${account_id}`} className="row">
                    <span className="what">
                      <bdi className="filename">{name}</bdi>
                      <span className="soft small">
                        {t.key.tiers[tier]} · <Time at={created_at} />
                      </span>
                    </span>
                    <span className={`state ${payment_status}`}>{t.accounts.states[payment_status]}</span>
                    <span className="number">{balanceText(balance)}</span>
                  </Link>
                </li>
              ))}
            </ul>
            <Pager {...pagination} to={to} />
          </>
        )}
      </Shown>
      {isOpening && <OpenAccount close={() => setOpening(false)} />}
    </>
  )
}

function OpenAccount({ close }: { close: () => void }) {
  const [, navigate] = useLocation()
  const [name, setName] = useState('')
  const [tier, setTier] = useState<(typeof TIERS)[number]>('standard')
  const [credit, setCredit] = useState('')
  const open = useWrite(
    (client, input: OpenAccountRequest, idempotencyKey) => client.openAccount(input, { idempotencyKey }),
    ['listAccounts'],
  )
  const [isAsking, setAsking] = useState(false)
  function openIt(): void {
    open.mutate(
      { name: name.trim(), tier, ...(credit !== '' && { credit: Number(credit) }) },
      { onSuccess: ({ account_id }) => navigate(`/operator/accounts/${account_id}`) },
    )
  }
  function submit(event: FormEvent): void {
    event.preventDefault()
    if (isMuch(credit)) setAsking(true)
    else openIt()
  }
  if (isAsking)
    return (
      <MuchCredit
        amount={credit}
        name={name.trim()}
        action={t.accounts.open}
        isPending={open.isPending}
        error={open.error}
        give={openIt}
        cancel={() => setAsking(false)}
      />
    )
  return (
    <Dialog title={t.accounts.open} close={close}>
      <form onSubmit={submit}>
        <label className="field">
          <span>{t.accounts.name}</span>
          <input required value={name} onChange={({ target }) => setName(target.value)} />
        </label>
        <label className="field">
          <span>{t.key.tier}</span>
          <select
            className="select"
            value={tier}
            onChange={({ target }) => setTier(target.value as typeof tier)}
          >
            {TIERS.map((each) => (
              <option key={each} value={each}>
                {t.key.tiers[each]}
              </option>
            ))}
          </select>
        </label>
        <label className="field">
          <span>{t.accounts.credit}</span>
          <input
            type="number"
            min={0}
            step="any"
            value={credit}
            onChange={({ target }) => setCredit(target.value)}
          />
        </label>
        <FormEnd action={t.accounts.open} isPending={open.isPending} error={open.error} cancel={close} />
      </form>
    </Dialog>
  )
}
