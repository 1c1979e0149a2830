import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { newId, type Application } from '@medialog/application'
import { CAPABILITIES } from '@medialog/domain'
import { usd, type Uuid } from '@medialog/kernel'

const NAME = 'dev'
const OPENING_CREDIT = usd('10')

/** What says that the first account was opened; release 0.1 kept its key there. */
const NOTES = ['first-account', 'dev-api-key'].map((name) => join('secrets', name))

/** The note in a data folder that its first account was opened, or null. */
export const firstAccountNote = (dataFolder: string): string | null =>
  NOTES.map((note) => join(dataFolder, note)).find((note) => existsSync(note)) ?? null

/**
 * A service with no account opens one named `dev`, with credit, and answers its key, which is kept nowhere. One that a
 * crash left without a key is given what it lacks. Null where there is nothing to do.
 */
export async function openFirstAccount(
  { accounts }: Pick<Application, 'accounts'>,
  dataFolder: string,
): Promise<string | null> {
  // Written last. Read models may be behind, or damaged: what they list at a start proves nothing.
  if (firstAccountNote(dataFolder) !== null) return null
  const context = { requestId: newId() }
  const accountId = await firstAccount(accounts, context)
  if (accountId === null) return null
  await accounts.credit(context, { accountId, amount: OPENING_CREDIT, reference: 'first start' })
  const key = { accountId, label: 'first key', capabilities: [...CAPABILITIES], expiresAt: null }
  const { apiKey } = await accounts.issueKey(context, key)
  const note = join(dataFolder, NOTES[0]!)
  mkdirSync(dirname(note), { recursive: true, mode: 0o700 })
  writeFileSync(note, `${accountId}\n`, { mode: 0o600 })
  return apiKey
}

/** The account that is still to be credited and to get its key: a new one, or what a crash left of the last start. */
async function firstAccount(
  accounts: Application['accounts'],
  context: { requestId: Uuid },
): Promise<Uuid | null> {
  const {
    accounts: [only],
    total,
  } = await accounts.list({ page: 1, pageSize: 1 })
  if (!only) {
    const opened = await accounts.open(context, { name: NAME, tier: 'standard', credit: 0n })
    return opened.account.accountId
  }
  const { accountId, name } = only.account
  if (total > 1 || name !== NAME) return null
  return (await accounts.keys(accountId)).length === 0 ? accountId : null
}
