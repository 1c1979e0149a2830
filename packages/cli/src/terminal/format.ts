import { formatUsd, fromUsdNumber, type Money } from '@medialog/kernel'

/** A number of USD that a server sent, exact to the nine decimals that there are. */
export const money = (amount: number): Money => fromUsdNumber(Number(amount.toFixed(9)))

/** Dollars with at least two decimals: `$0.04`, `-$1.00`, `$0.000000123`. */
export function dollars(amount: Money | number): string {
  const nano = typeof amount === 'bigint' ? amount : money(amount)
  const [whole = '', fraction = ''] = formatUsd(nano < 0n ? -nano : nano).split('.')
  return `${nano < 0n ? '-' : ''}$${whole}.${fraction.padEnd(2, '0')}`
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB']

/** Decimal units, three digits or so: `119 B`, `41.6 kB`. */
export function bytes(count: number): string {
  let value = count
  let unit = 0
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000
    unit++
  }
  return `${unit === 0 || value >= 99.95 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`
}

/** `2026-11-20 13:05` in the local time zone; a text that is no time as it is. */
export function localTime(iso: string): string {
  const date = new Date(/[zZ]|[+-]\d\d:?\d\d$/.test(iso) ? iso : `${iso}Z`)
  if (Number.isNaN(date.getTime())) return iso
  const two = (part: number) => String(part).padStart(2, '0')
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`
}

/** `0.4 s`, `12 s`, `3 min 05 s`. */
export function seconds(milliseconds: number): string {
  const total = milliseconds / 1000
  if (total < 10) return `${total.toFixed(1)} s`
  if (total < 60) return `${Math.round(total)} s`
  const whole = Math.round(total)
  return `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, '0')} s`
}

export const percent = (ratio: number): string => `${Math.round(ratio * 100)} %`
