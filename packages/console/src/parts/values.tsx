import { useState } from 'react'
import { t } from '../texts/texts.ts'
import { Icon } from './icons.tsx'

const LOCALE = document.documentElement.lang

const DATE = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium' })
const DATE_TIME = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeStyle: 'medium' })
const RELATIVE = new Intl.RelativeTimeFormat(LOCALE, { numeric: 'auto' })
const NUMBER = new Intl.NumberFormat(LOCALE)
/** USD is exact to nine decimals: what is there is shown. */
const USD = new Intl.NumberFormat(LOCALE, {
  style: 'currency',
  currency: 'USD',
  minimumFractionDigits: 2,
  maximumFractionDigits: 9,
})
const SIGNED_USD = new Intl.NumberFormat(LOCALE, { ...USD.resolvedOptions(), signDisplay: 'exceptZero' })

export const number = (value: number): string => NUMBER.format(value)
export const usd = (value: number): string => USD.format(value)

/** An account's balance for the operator, null where its ledger is damaged. */
export const balanceText = (balance: number | null): string =>
  balance === null ? t.accounts.ledgerDamaged : usd(balance)
export const day = (iso: string): string => DATE.format(new Date(iso))
export const dateTime = (iso: string): string => DATE_TIME.format(new Date(iso))

const UNITS = [
  ['second', 60],
  ['minute', 60],
  ['hour', 24],
  ['day', 7],
] as const

/** How long ago, up to a week; then the date. */
export function ago(iso: string, now = Date.now()): string {
  let value = (Date.parse(iso) - now) / 1000
  for (const [unit, limit] of UNITS) {
    if (Math.abs(value) < limit) return RELATIVE.format(Math.trunc(value), unit)
    value /= limit
  }
  return DATE.format(new Date(iso))
}

export const Time = ({ at }: { at: string }) => (
  <time dateTime={at} title={dateTime(at)}>
    {ago(at)}
  </time>
)

/** An amount that was moved: what was paid back or in stands out, by its sign as well. */
export const Amount = ({ value }: { value: number }) => (
  <span className={value > 0 ? 'amount in' : 'amount'}>{SIGNED_USD.format(value)}</span>
)

const SIZES = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const

export function bytes(count: number): string {
  const step = count < 1 ? 0 : Math.min(SIZES.length - 1, Math.floor(Math.log10(count) / 3))
  return new Intl.NumberFormat(LOCALE, {
    style: 'unit',
    unit: SIZES[step]!,
    unitDisplay: step === 0 ? 'long' : 'short',
    maximumSignificantDigits: 3,
  }).format(count / 1000 ** step)
}

/** `1:02:03`, as players show it. */
export function clock(seconds: number): string {
  const whole = Math.round(seconds)
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60]
  if (parts[0] === 0) parts.shift()
  return parts.map((part, place) => (place === 0 ? String(part) : String(part).padStart(2, '0'))).join(':')
}

/** When a passage of a recording or film is said. */
export const SaidAt = ({ time }: { time: { start: number } }) => (
  <span className="soft small">{t.item.saidAt(clock(Math.floor(time.start)))}</span>
)

/** A button that copies `text`, and says that it did. */
export function Copy({ text, label }: { text: string; label: string }) {
  const [isCopied, setCopied] = useState(false)
  async function copy(): Promise<void> {
    await navigator.clipboard.writeText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), 1500)
  }
  return (
    <button
      type="button"
      className="quiet button"
      onClick={() => void copy()}
      aria-label={label}
      title={label}
    >
      <Icon name={isCopied ? 'check' : 'copy'} />
      <span role="status" className="visually-hidden">
        {isCopied ? t.copied : ''}
      </span>
    </button>
  )
}

/** An id, with a button that copies it. */
export const Id = ({ value }: { value: string }) => (
  <span className="id">
    <code>{value}</code>
    <Copy text={value} label={t.copy} />
  </span>
)
