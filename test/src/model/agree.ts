import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Carrier } from '../crashes/world.ts'
import { expectMoney, expectNothingUnderWay } from '../faults/consistency.ts'
import { sequences, type State } from './commands.ts'
import { Service } from './service.ts'

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
const SECONDS = Number(LONG ?? 10)
const SEED = Number(CHOSEN ?? (LONG === undefined ? 43 : Math.floor(Math.random() * 2 ** 31)))

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

/** Tests that the service, in the processes of the carrier, agrees with its model after random sequences of commands. */
export function testAgreement(what: string, carrier?: Carrier): void {
  const { processes = 1 } = carrier ?? {}
  let service: Service | null = null
  async function close(): Promise<void> {
    await service?.close()
    service = null
  }
  test(
    `${what}, for ${SECONDS} s (MEDIALOG_MODEL_SEED=${SEED})`,
    async () => {
      const until = Date.now() + SECONDS * 1_000
      let finished = 0
      let hasFailed = false
      const agrees = async (commands: Iterable<fc.AsyncCommand<State, Service>>): Promise<void> => {
        // What is left once the time is over is passed over, unless it makes a failure shorter.
        if (Date.now() > until && finished > 0 && !hasFailed) return
        try {
          service ??= await Service.open(carrier)
          await run(commands, service)
          finished++
          // Several take seconds to start, and time does not leap in them: they go on, with other accounts.
          if (processes === 1) await close()
        } catch (error) {
          hasFailed = true
          await close()
          throw error
        }
      }
      const random = sequences({ accounts: ACCOUNTS, maxCommands: MOST_COMMANDS, processes })
      try {
        await fc.assert(fc.asyncProperty(random, agrees), {
          seed: SEED,
          numRuns: SECONDS * MOST_A_SECOND,
          interruptAfterTimeLimit: (SECONDS + SHORTENING_SECONDS) * 1_000,
        })
      } finally {
        await close()
      }
      expect(finished).toBeGreaterThan(0)
    },
    (SECONDS + 2 * SHORTENING_SECONDS) * 1_000,
  )
}
