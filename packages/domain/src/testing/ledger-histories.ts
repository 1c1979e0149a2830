import fc from 'fast-check'
import { ledger, type Ledger, type LedgerCommand, type LedgerEvent } from '../ledger.ts'
import { charge, credit, on, refund, refundRest, settle } from './ledger-entries.ts'

export const IDS = ['a', 'b', 'c', 'd'] as const
const MONTHS = ['01', '02', '03', '04', '05', '06', '07', '08']
const PRICES = ['DOCUMENT_PROCESSING', 'VECTOR_PROCESSING', 'RAG_QUERY']

const id = fc.constantFrom(...IDS)
const amounts = fc.dictionary(fc.constantFrom(...PRICES), fc.bigInt({ min: 0n, max: 6n }), { maxKeys: 3 })

/** Commands of the first day: few ids, so that they repeat, miss and meet again; time is set later. */
const commandAt0: fc.Arbitrary<LedgerCommand> = fc.oneof(
  fc.tuple(id, fc.bigInt({ min: 1n, max: 9n })).map(([of, amount]) => credit(`credit ${of}`, amount, 0)),
  fc.tuple(id, amounts).map(([of, by]) => charge(of, by, 0)),
  id.map((of) => settle(of, 0)),
  fc.tuple(id, id, amounts).map(([of, from, by]) => refund(`refund ${of}`, from, by, 0)),
  fc.tuple(id, id).map(([of, from]) => refundRest(`refund ${of}`, from, 0)),
)
/** A clock that mostly stands, often goes on a month or two, and sometimes runs a month behind. */
const step = fc.constantFrom(0, 0, 0, 0, 0, 1, 1, 2, -1)
export const commands = fc
  .array(fc.tuple(commandAt0, step), { minLength: 15, maxLength: 60 })
  .map((steps) => {
    let month = 0
    const dated = steps.map(([command, by]) => {
      month = Math.min(Math.max(month + by, 0), MONTHS.length - 1)
      return { ...command, at: on(`${MONTHS[month]}-15`) }
    })
    // Something to spend, or most of what follows is refused.
    return [credit('credit of the start', 20n, on('01-15')), ...dated]
  })

export function attempt(command: LedgerCommand, state: Ledger): readonly LedgerEvent[] | string {
  try {
    return ledger.decide(command, state)
  } catch (error) {
    return `${(error as { code: string }).code} ${(error as Error).message}`
  }
}

/** Carries the commands out, one after the other; `look` sees each state with the log that led to it. */
export function carryOut(
  steps: LedgerCommand[],
  look: (state: Ledger, log: LedgerEvent[], command: LedgerCommand) => void,
): void {
  let state = ledger.initialState()
  const log: LedgerEvent[] = []
  for (const command of steps) {
    const events = attempt(command, state)
    if (typeof events !== 'string')
      for (const event of events) {
        log.push(event)
        state = ledger.evolve(state, event)
      }
    look(state, log, command)
  }
}

/** The events that the commands cause. */
export function logOf(steps: LedgerCommand[]): LedgerEvent[] {
  let seen: LedgerEvent[] = []
  carryOut(steps, (_, log) => (seen = log))
  return seen
}
