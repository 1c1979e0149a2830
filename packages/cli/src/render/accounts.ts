import type { Account, ClosedAccount, Key } from '../client/answers.ts'
import { dollars, localTime } from '../terminal/format.ts'
import type { Look } from '../terminal/look.ts'
import { pairs, table } from '../terminal/table.ts'
import { clean } from '../terminal/text.ts'
import { renderErasure } from './erasure.ts'

export const balanceOf = (balance: number | null): string =>
  balance === null ? 'ledger damaged' : dollars(balance)

export function renderAccounts(accounts: readonly Account[], look: Look): string[] {
  if (accounts.length === 0) return ['There is no account. Open one with `medialog accounts create NAME`.']
  return table(
    accounts,
    [
      { title: 'ACCOUNT', value: ({ account_id: id }) => clean(id), paint: (_, { accent }) => accent },
      { title: 'NAME', value: ({ name }) => clean(name), shrinks: 'end' },
      {
        title: 'STATE',
        value: ({ payment_status: state }) => clean(state),
        paint: ({ payment_status: state }, { good, bad }) => (state === 'active' ? good : bad),
      },
      { title: 'BALANCE', value: ({ balance }) => balanceOf(balance), align: 'right', drops: true },
      { title: 'TIER', value: ({ tier }) => clean(tier), drops: true },
      {
        title: 'OPENED',
        value: ({ created_at: at }) => localTime(at ?? ''),
        drops: true,
        paint: (_, { dim }) => dim,
      },
    ],
    look,
  )
}

export function renderAccount(account: Account, look: Look): string[] {
  const { payment_status: state, created_at: opened } = account
  const entries: [string, string][] = [
    ['account', look.accent(clean(account.account_id))],
    ['tier', clean(account.tier)],
    ['balance', balanceOf(account.balance)],
  ]
  if (state) entries.push(['state', state === 'active' ? look.good(state) : look.bad(clean(state))])
  if (opened) entries.push(['opened', localTime(opened)])
  return [look.bold(clean(account.name)), ...pairs(entries, look)]
}

export function renderKeys(keys: readonly Key[], look: Look): string[] {
  if (keys.length === 0) return ['The account has no key. Make one with `medialog keys create ACCOUNT`.']
  return table(
    keys,
    [
      { title: 'KEY', value: ({ key_id: id }) => clean(id), paint: (_, { accent }) => accent },
      { title: 'LABEL', value: ({ label }) => clean(label), shrinks: 'end' },
      {
        title: 'STATE',
        value: stateOf,
        shrinks: 'end',
        paint: (key, { good, bad }) => (stateOf(key).startsWith('valid') ? good : bad),
      },
      { title: 'MAY', value: ({ capabilities }) => capabilities.map(clean).join(', '), drops: true },
      {
        title: 'MADE',
        value: ({ created_at: at }) => localTime(at ?? ''),
        drops: true,
        paint: (_, { dim }) => dim,
      },
    ],
    look,
  )
}

function stateOf({ revoked, expires_at: expiresAt, old_key_valid_until: graceUntil }: Key): string {
  if (revoked) return 'revoked'
  if (graceUntil && Date.parse(graceUntil) > Date.now())
    return `valid, the old one until ${localTime(graceUntil)}`
  if (expiresAt) {
    const ended = Date.parse(expiresAt) <= Date.now()
    return `${ended ? 'expired' : 'valid until'} ${localTime(expiresAt)}`
  }
  return 'valid'
}

const creditLeft = (balance: number | null): string =>
  balance === null
    ? 'its ledger is damaged: what was left of its credit is not known'
    : `${dollars(balance)} of its credit were left`

export const renderClosedAccount = (
  { account_id: id, balance, erasure }: ClosedAccount,
  look: Look,
): string[] => [
  `${look.good('✓')} ${clean(id)} is closed; ${creditLeft(balance)}`,
  ...renderErasure(erasure, look),
]
