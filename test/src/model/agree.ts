import fc from 'fast-check'
import { expect } from 'vitest'
import { expectMoney, expectNothingUnderWay } from '../faults/consistency.ts'
import { sequences, type State } from './commands.ts'
import { Service, type ServiceOptions } from './service.ts'

const ACCOUNTS = 2
const MOST_COMMANDS = 40
/** How long a failure is made shorter. */
const SHORTENING_SECONDS = 120
/** More sequences than any machine runs. */
const MOST_A_SECOND = 20

/**
 * `npm run model` runs for an hour, from another seed each time; `MEDIALOG_MODEL_SEED=7 npm run model` begins as a run did
 * that printed it. Among the other tests it runs for seconds, from the same seed, so that it finds what a change has done.
 */
const { MEDIALOG_MODEL_SECONDS: LONG, MEDIALOG_MODEL_SEED: CHOSEN } = process.env
export const SECONDS = Number(LONG ?? 10)
export const SEED = Number(CHOSEN ?? (LONG === undefined ? 43 : Math.floor(Math.random() * 2 ** 31)))
/** Of the test, in milliseconds. */
export const LIMIT = (SECONDS + 2 * SHORTENING_SECONDS) * 1_000

async function run(commands: Iterable<fc.AsyncCommand<State, Service>>, service: Service): Promise<void> {
  await service.openAccounts(ACCOUNTS)
  const accounts = Array.from({ length: ACCOUNTS }, () => ({
    balance: 0,
    items: new Map<string, string>(),
  }))
  await fc.asyncModelRun(() => ({ model: { accounts, past: [], twiceUntil: 0 }, real: service }), commands)
  const recorded = await service.events()
  expectNothingUnderWay(recorded)
  expectMoney(recorded)
}

/** Sequences agree with the model for `SECONDS`, from `SEED`. */
export async function expectAgreement(options: ServiceOptions = {}): Promise<void> {
  const { processes = 1 } = options
  const until = Date.now() + SECONDS * 1_000
  let finished = 0
  let hasFailed = false
  let service = await Service.open(options)
  async function openAnew(): Promise<void> {
    await service.close()
    service = await Service.open(options)
  }
  const of = sequences({ accounts: ACCOUNTS, maxCommands: MOST_COMMANDS, processes })
  try {
    await fc.assert(
      fc.asyncProperty(of, async (commands) => {
        // What is left once the time is over is passed over, unless it makes a failure shorter.
        if (Date.now() > until && finished > 0 && !hasFailed) return
        try {
          await run(commands, service)
          finished++
          // Processes take seconds to start, and time does not leap in them.
          if (processes === 1) await openAnew()
        } catch (error) {
          hasFailed = true
          await openAnew()
          throw error
        }
      }),
      {
        seed: SEED,
        numRuns: SECONDS * MOST_A_SECOND,
        interruptAfterTimeLimit: (SECONDS + SHORTENING_SECONDS) * 1_000,
      },
    )
  } finally {
    await service.close()
  }
  expect(finished).toBeGreaterThan(0)
}
