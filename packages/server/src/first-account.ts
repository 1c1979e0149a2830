import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newId, type Application } from '@medialog/application'
import { CAPABILITIES } from '@medialog/domain'
import { usd } from '@medialog/kernel'

const OPENING_CREDIT = usd('10')

/**
 * A service with no account opens one named `dev` and answers its key, which is kept for the command line beside the
 * operator's token. Null where there are accounts already.
 */
export async function openFirstAccount(
  { operator }: Application,
  dataFolder: string,
): Promise<string | null> {
  if ((await operator.accounts()).length > 0) return null
  const context = { requestId: newId() }
  const { account } = await operator.openAccount(context, {
    name: 'dev',
    tier: 'standard',
    credit: OPENING_CREDIT,
  })
  const { accountId } = account
  const key = { accountId, label: 'first key', capabilities: [...CAPABILITIES], expiresAt: null }
  const { apiKey } = await operator.issueKey(context, key)
  writeFileSync(join(dataFolder, 'secrets', 'dev-api-key'), `${apiKey}\n`, { mode: 0o600 })
  return apiKey
}
