import { fold, type Decider } from '@medialog/kernel'
import { expect } from 'vitest'

type Refusal = abstract new (...args: never[]) => Error

/**
 * A decider's test in one sentence, everything compared, in order:
 * `given(ledger, credited).when(charge).then(charged)`.
 */
export function given<Command, Event, State>(
  decider: Decider<Command, Event, State>,
  ...history: readonly Event[]
) {
  return {
    when(command: Command) {
      const state = fold(decider, history)
      const decide = () => decider.decide(command, state)
      return {
        /** The command causes exactly these events, and they can be folded in. */
        // oxlint-disable-next-line unicorn/no-thenable -- given / when / then; it is never awaited
        then(...expected: readonly [Event, ...Event[]]): void {
          const events = decide()
          expect(events).toStrictEqual(expected)
          untouched()
          fold(decider, events, state)
        },
        /** The command was carried out before, or has nothing to do. */
        thenNothing(): void {
          expect(decide()).toStrictEqual([])
          untouched()
        },
        /** The command is refused with this error; `details` are properties of it, others may be there. */
        thenFails(refusal: Refusal, details: { [property: string]: unknown } = {}): void {
          const error = thrownBy(decide)
          expect(error).toBeInstanceOf(refusal)
          expect(error).toMatchObject(details)
          untouched()
        },
      }

      /** Deciding only looks. */
      function untouched(): void {
        expect(state).toStrictEqual(fold(decider, history))
      }
    },
  }
}

function thrownBy(decide: () => unknown): unknown {
  try {
    decide()
  } catch (error) {
    return error
  }
  return expect.fail('the command was not refused')
}
