import { newId, type Application } from '@medialog/application'
import { CAPABILITIES } from '@medialog/domain'
import { usd, type Uuid } from '@medialog/kernel'

const NAME = 'dev'
const OPENING_CREDIT = usd('10')

/**
 * A service with no account opens one named `dev`, with credit, and answers its key, which is kept nowhere. One that a
 * crash left without a key is given what it lacks. Null where there is nothing to do.
 */
export async function openFirstAccount({ operator }: Application): Promise<string | null> {
  const context = { requestId: newId() }
  const accountId = await firstAccount(operator, context)
  if (accountId === null) return null
  await operator.credit(context, { accountId, amount: OPENING_CREDIT, reference: 'first start' })
  const key = { accountId, label: 'first key', capabilities: [...CAPABILITIES], expiresAt: null }
  const { apiKey } = await operator.issueKey(context, key)
  return apiKey
}

/** The account that is still to be credited and to get its key: a new one, or what a crash left of the last start. */
async function firstAccount(
  operator: Application['operator'],
  context: { requestId: Uuid },
): Promise<Uuid | null> {
  const {
    accounts: [only],
    total,
  } = await operator.accounts({ page: 1, pageSize: 1 })
  if (!only) {
    const opened = await operator.openAccount(context, { name: NAME, tier: 'standard', credit: 0n })
    return opened.account.accountId
  }
  const { accountId, name } = only.account
  if (total > 1 || name !== NAME) return null
  return (await operator.keys(accountId)).length === 0 ? accountId : null
}
