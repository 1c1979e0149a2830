import type { CloudEvent } from '@medialog/client'
import { dollars, localTime } from '../terminal/format.ts'
import type { Look } from '../terminal/look.ts'
import { clean } from '../terminal/text.ts'

/** One line: when, what, in which stream, and how much. */
export function renderEvent({ time, type, subject, data }: CloudEvent, look: Look): string {
  const name = clean(type.replace('medialog.', ''))
  const amount = nanoUsd(data['amount'])
  return [
    look.dim(localTime(time)),
    look.bold(name.padEnd(LONGEST_NAME)),
    look.accent(clean(subject)),
    ...(amount === null ? [] : [dollars(amount)]),
  ].join('  ')
}

const LONGEST_NAME = 'CollectionDeleted'.length

/** USD from digits of nano-USD; null where there is no amount. */
const nanoUsd = (digits: unknown): number | null =>
  typeof digits === 'string' && /^-?\d+$/.test(digits) ? Number(digits) / 1e9 : null
