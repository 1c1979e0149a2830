import { InvalidApiKey, type Application, type KeyRecord, type Principal } from '@medialog/application'
import { AccountNotFound } from '@medialog/domain'
import { usd } from '@medialog/kernel'
import { ERASURE } from './fake-erasures.ts'
import { ACCOUNT, ACCOUNT_RECORD, NOW } from './fixtures.ts'

const position = 60

export function requireKnown(accountId: string): void {
  if (accountId !== ACCOUNT) throw new AccountNotFound()
}

/** One account; `principals`: the owners of keys. */
export const fakeAccounts = (principals: ReadonlyMap<string, Principal>): Application['accounts'] => ({
  async authenticate(apiKey) {
    const principal = principals.get(apiKey ?? '')
    if (!principal) throw new InvalidApiKey()
    return principal
  },
  open: async (_context, { name, tier, credit }) => ({
    account: { ...ACCOUNT_RECORD, name, tier },
    balance: credit,
    position,
    replayed: false,
  }),
  list: async ({ page, pageSize }) => ({
    accounts: [{ account: ACCOUNT_RECORD, balance: usd('1') }].slice((page - 1) * pageSize, page * pageSize),
    total: 1,
  }),
  async read(accountId) {
    requireKnown(accountId)
    return { account: ACCOUNT_RECORD, balance: usd('1') }
  },
  async credit(_context, { accountId, amount }) {
    requireKnown(accountId)
    return { balance: usd('1') + amount, replayed: false, position }
  },
  async changeTier(_context, { accountId, tier }) {
    requireKnown(accountId)
    return { account: { ...ACCOUNT_RECORD, tier }, position }
  },
  async changeState(_context, { accountId, state }) {
    requireKnown(accountId)
    return { account: { ...ACCOUNT_RECORD, status: state }, position }
  },
  async close(_context, accountId) {
    requireKnown(accountId)
    const account = { ...ACCOUNT_RECORD, status: 'closed' as const }
    return { account, balance: usd('1'), erasure: ERASURE, position }
  },
  async issueKey(_context, { accountId }) {
    requireKnown(accountId)
    return { keyId: 'abcd1234', apiKey: 'mlk_abcd1234_secret', position }
  },
  async keys(accountId) {
    requireKnown(accountId)
    return [keyRecord(accountId, 'keyall00'), keyRecord(accountId, 'abcd1234')]
  },
  async revokeKey(_context, { accountId }) {
    requireKnown(accountId)
    return { position }
  },
  async rotateKey(_context, { accountId, keyId, graceSeconds }) {
    requireKnown(accountId)
    return { keyId, apiKey: 'mlk_new', oldKeyValidUntil: NOW + graceSeconds * 1000, position }
  },
})

const keyRecord = (accountId: string, keyId: string): KeyRecord => ({
  keyId,
  accountId,
  label: 'laptop',
  capabilities: ['read'],
  digest: 'secret-digest',
  previous: { digest: 'aa', validUntil: NOW + 1000 },
  expiresAt: null,
  revoked: false,
  issuedAt: NOW,
})
