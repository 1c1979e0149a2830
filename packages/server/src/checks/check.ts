import { setTimeout as sleep } from 'node:timers/promises'
import { namesItsCure } from '../expected-errors.ts'

export interface Checked {
  name: string
  ok: boolean
  /** The service starts, and probably not as somebody meant it. */
  warning?: true
  /** What was found or, where it is not as it has to be, what is wrong and what to do. */
  detail: string
}

export interface Check {
  name: string
  /** What to look at where it fails, unless the error itself names it. */
  mend: string
  /** The service starts without it, and does what it is needed for once it is there. */
  isAwaited?: boolean
  /** Answers what was found. @throws where it is not as it has to be */
  look: () => Promise<string> | string
}

/** Longer than the clients of the engines take to give up. */
const LONGEST_MS = 20_000

/** A check that was carried out, whatever it found. */
export async function carriedOut({ name, mend, isAwaited, look }: Check): Promise<Checked> {
  const late = new AbortController()
  const tooLate = sleep(LONGEST_MS, undefined, { signal: late.signal }).then(() => {
    throw new Error(`no answer within ${LONGEST_MS / 1000} s`)
  })
  try {
    return { name, ok: true, detail: await Promise.race([(async () => look())(), tooLate]) }
  } catch (error) {
    const detail = isAwaited ? `${described(error, mend)} ${AWAITED}` : described(error, mend)
    return { name, ok: false, detail }
  } finally {
    late.abort()
    await tooLate.catch(() => undefined)
  }
}

const AWAITED = 'The service starts without it, and does what needs it once it answers.'

function described(error: unknown, mend: string): string {
  const [line] = (error as Error).message.split('\n')
  if (namesItsCure(error)) return line!
  return `${line!.replace(/[.:]$/, '')}. Look at ${mend}.`
}
