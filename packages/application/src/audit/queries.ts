import type { OperatorApplication } from '../application.ts'
import type { Dependencies } from '../dependencies.ts'
import { requireAccountId } from '../ids.ts'
import { replayLedger, type Auditing } from './replay-ledger.ts'
import { makeStatement } from './statement.ts'

/** Ledgers and statements of any account. */
export const auditQueries = (
  dependencies: Auditing & Pick<Dependencies, 'clock'>,
): Pick<OperatorApplication, 'ledger' | 'statement'> => ({
  async *ledger(accountId, query) {
    return yield* replayLedger(dependencies, requireAccountId(accountId), query)
  },
  statement: async (accountId, month) => makeStatement(dependencies, requireAccountId(accountId), month),
})
