import type { OperatorApplication } from '../application.ts'
import type { Dependencies } from '../dependencies.ts'
import { requireAccountId } from '../ids.ts'
import type { Auditing } from './ledger.ts'
import { replayLedger } from './replay-ledger.ts'
import { makeStatement, type Replay } from './statement.ts'
import { Turns } from './turns.ts'

/**
 * Ledgers and statements of any account. An account has one replay at a time: however often it asks, it takes no more of
 * the process than one does.
 */
export function auditQueries(
  dependencies: Auditing & Pick<Dependencies, 'clock'>,
): Pick<OperatorApplication, 'ledger' | 'statement'> {
  const turns = new Turns<string>()
  const replay: Replay = async function* (accountId, query, upTo) {
    const end = await turns.take(accountId)
    try {
      return yield* replayLedger(dependencies, accountId, query, upTo)
    } finally {
      end()
    }
  }
  return {
    async *ledger(accountId, query) {
      return yield* replay(requireAccountId(accountId), query)
    },
    statement: async (accountId, month) =>
      makeStatement(dependencies, replay, requireAccountId(accountId), month),
  }
}
