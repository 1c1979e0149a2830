import {
  type Capability,
  type PaymentStatus,
  type Tier,
  AccountNotFound,
  CreditReferenceReused,
  IdempotencyKeyReused,
} from '@medialog/domain'
import { UUID_PATTERN, type LogPosition, type Money, type Uuid } from '@medialog/kernel'
import type { OperatorContext } from '../core/context.ts'
import { InvalidInput } from '../core/errors.ts'
import {
  accountIdOf,
  creditIdOf,
  newId,
  openingCreditIdOf,
  requestStreamOf,
  requireAccountId,
} from '../core/ids.ts'
import { operatorOrigin } from '../core/origin.ts'
import type { Ports } from '../core/ports.ts'
import { settleReads } from '../core/read-your-writes.ts'
import { unlessAway } from '../core/unless-away.ts'
import type { Written } from '../core/written.ts'
import { afterErasing } from '../erasure/after-erasing.ts'
import type { ErasureView } from '../erasure/receipt.ts'
import { requestAccountErasure } from '../erasure/request.ts'
import { streamName, type CommandOf } from '../event-sourcing/streams.ts'
import { EngineUnavailable, type AccountRecord, type KeyRecord } from '../ports/index.ts'
import { once } from '../requests/idempotency.ts'
import { newApiKey, newSecret } from './api-key.ts'

/** Its balance is null where its ledger is damaged: no figure is better than a sum over half of it. */
export interface AccountWithBalance {
  account: AccountRecord
  balance: Money | null
}

/** Accounts and their keys. Whatever names an account @throws AccountNotFound */
export interface AccountCommands {
  /**
   * An Idempotency-Key answers a repeat with the account that was opened, and credits nothing more.
   * @throws IdempotencyKeyReused, RequestInProgress
   */
  open(
    context: OperatorContext,
    command: { name: string; tier: Tier; credit: Money; idempotencyKey?: string },
  ): Promise<Written<{ account: AccountRecord; balance: Money; replayed: boolean }>>
  /** In the order in which they were opened. */
  list(query: { page: number; pageSize: number }): Promise<{ accounts: AccountWithBalance[]; total: number }>
  read(accountId: string): Promise<AccountWithBalance>
  /**
   * A `reference` credits once, permanently; an Idempotency-Key answers a repeat within a day.
   * @throws CreditReferenceReused, IdempotencyKeyReused, RequestInProgress
   */
  credit(
    context: OperatorContext,
    command: { accountId: string; amount: Money; reference: string | null; idempotencyKey?: string },
  ): Promise<Written<{ balance: Money; replayed: boolean }>>
  changeTier(
    context: OperatorContext,
    command: { accountId: string; tier: Tier },
  ): Promise<Written<{ account: AccountRecord }>>
  changeState(
    context: OperatorContext,
    command: { accountId: string; state: Exclude<PaymentStatus, 'closed'> },
  ): Promise<Written<{ account: AccountRecord }>>
  /**
   * Permanent: its keys stop working, and everything but its ledger is erased, which continues after the answer. Asked again
   * it answers how far that is.
   */
  close(
    context: OperatorContext,
    accountId: string,
  ): Promise<Written<AccountWithBalance & { erasure: ErasureView }>>
  /** @throws InvalidInput where `expiresAt` has passed */
  issueKey(
    context: OperatorContext,
    command: { accountId: string; label: string; capabilities: Capability[]; expiresAt: number | null },
  ): Promise<Written<{ keyId: string; apiKey: string }>>
  /** The revoked ones as well. */
  keys(accountId: string): Promise<KeyRecord[]>
  revokeKey(context: OperatorContext, command: { accountId: string; keyId: string }): Promise<Written<object>>
  rotateKey(
    context: OperatorContext,
    command: { accountId: string; keyId: string; graceSeconds: number },
  ): Promise<Written<{ keyId: string; apiKey: string; oldKeyValidUntil: number }>>
}

export type CommandPorts = Pick<
  Ports,
  | 'streams'
  | 'eventStore'
  | 'accounts'
  | 'usage'
  | 'clock'
  | 'background'
  | 'projections'
  | 'settings'
  | 'logTree'
>

/** The operator's commands on accounts, credits and keys. */
export function accountCommands(ports: CommandPorts): AccountCommands {
  const { streams, eventStore, accounts, usage, clock } = ports

  async function change(
    context: OperatorContext,
    accountId: string,
    command: CommandOf<'account'>,
  ): Promise<LogPosition> {
    const { position } = await streams.execute(
      'account',
      requireAccountId(accountId),
      command,
      operatorOrigin(context, accountId),
    )
    await settleReads(ports, position)
    return position
  }

  async function known(accountId: string): Promise<AccountRecord> {
    const record = UUID_PATTERN.test(accountId) ? await accounts.account(accountId) : null
    if (!record) throw new AccountNotFound()
    return record
  }

  async function withBalances(found: readonly AccountRecord[]): Promise<AccountWithBalance[]> {
    const damaged = await unlessAway(eventStore.damaged())
    const streamsDamaged = new Set(damaged?.map(({ stream }) => stream))
    return Promise.all(
      found.map(async (account) => ({
        account,
        balance: streamsDamaged.has(streamName('ledger', account.accountId))
          ? null
          : await usage.balance(account.accountId),
      })),
    )
  }

  const knownWithBalance = async (accountId: string): Promise<AccountWithBalance> =>
    (await withBalances([await known(accountId)]))[0]!

  async function credit(
    context: OperatorContext,
    {
      accountId,
      creditId,
      amount,
      reference,
    }: { accountId: string; creditId: Uuid; amount: Money; reference: string | null },
  ): Promise<Written<{ balance: Money }>> {
    // The ledger knows the ids of two months; what is older is in the read model for certain.
    const credited = await usage.credited(accountId, creditId)
    if (credited !== null) {
      if (credited !== amount) throw new CreditReferenceReused(credited, amount)
      const { selected: balance, position } = await streams.load(
        'ledger',
        accountId,
        (ledger) => ledger.balance,
      )
      return { balance, position }
    }
    const { selected: balance, position } = await streams.execute(
      'ledger',
      accountId,
      { type: 'Credit', creditId, amount, reference, at: clock.now() },
      operatorOrigin(context, accountId),
      { select: (ledger) => ledger.balance },
    )
    await settleReads(ports, position)
    return { balance, position }
  }

  return {
    async open(context, { name, tier, credit: amount, idempotencyKey: key }) {
      const accountId = key === undefined ? newId() : accountIdOf(key)
      const { answer, replayed } = await once(ports, {
        accountId,
        requestId: context.requestId,
        origin: operatorOrigin(context, accountId),
        stream: key === undefined ? null : requestStreamOf(accountId, `operator ${key}`),
        fingerprint: ['open', amount, tier, name].join(' '),
        async work() {
          // A repeat after a crash finds the account open, and credits nothing more.
          const at = clock.now()
          const position = await change(context, accountId, {
            type: 'OpenAccount',
            accountId,
            name,
            tier,
            at,
          })
          if (amount === 0n) return { position }
          const opening = { creditId: openingCreditIdOf(accountId), amount, reference: 'opening' }
          return { position: (await credit(context, { accountId, ...opening })).position }
        },
      })
      const account = await accounts.account(accountId)
      if (!account) throw new EngineUnavailable('accounts', 'The account is open, but not readable yet.')
      // The key of another account, which it was given longer ago than keys are kept.
      if (account.name !== name) throw new IdempotencyKeyReused()
      const { selected: balance } = await streams.load('ledger', accountId, (ledger) => ledger.balance)
      return { account, balance, position: answer.position, replayed }
    },

    async list({ page, pageSize }) {
      const { accounts: found, total } = await accounts.list({
        offset: (page - 1) * pageSize,
        limit: pageSize,
      })
      return { accounts: await withBalances(found), total }
    },
    read: knownWithBalance,

    async credit(context, { accountId, amount, reference, idempotencyKey }) {
      await known(accountId)
      const { answer, replayed } = await once(ports, {
        accountId,
        requestId: context.requestId,
        origin: operatorOrigin(context, accountId),
        stream:
          idempotencyKey === undefined ? null : requestStreamOf(accountId, `operator ${idempotencyKey}`),
        fingerprint: ['credit', amount, reference ?? ''].join(' '),
        async work() {
          // The key serves as the reference: a repeat after a crash between credit and answer credits nothing more.
          const told = reference ?? idempotencyKey ?? null
          const creditId = told === null ? newId() : creditIdOf(accountId, told)
          const outcome = await credit(context, { accountId, creditId, amount, reference: told })
          return { balance: outcome.balance.toString(), position: outcome.position }
        },
      })
      return { balance: BigInt(answer.balance), position: answer.position, replayed }
    },

    async changeTier(context, { accountId, tier }) {
      const position = await change(context, accountId, { type: 'ChangeTier', tier })
      return { account: await known(accountId), position }
    },

    async changeState(context, { accountId, state }) {
      const type = state === 'suspended' ? 'SuspendAccount' : 'ReinstateAccount'
      const position = await change(context, accountId, { type })
      return { account: await known(accountId), position }
    },

    async close(context, accountId) {
      const { balance } = await knownWithBalance(accountId)
      const erasureId = await requestAccountErasure(ports, operatorOrigin(context, accountId), accountId)
      const position = await change(context, accountId, { type: 'CloseAccount' })
      const erasure = await afterErasing(ports, erasureId)
      return { account: await known(accountId), balance, erasure: erasure!, position }
    },

    async issueKey(context, { accountId, label, capabilities, expiresAt }) {
      const at = clock.now()
      if (expiresAt !== null && expiresAt <= at)
        throw new InvalidInput('VALIDATION_ERROR', 'expires_at must be in the future.', {
          parameter: 'expires_at',
          reason: 'must be in the future',
        })
      const { keyId, apiKey, digest } = newApiKey()
      const position = await change(context, accountId, {
        type: 'IssueApiKey',
        keyId,
        label,
        digest,
        capabilities,
        expiresAt,
        at,
      })
      return { keyId, apiKey, position }
    },

    keys: async (accountId) => accounts.keys((await known(accountId)).accountId),

    revokeKey: async (context, { accountId, keyId }) => ({
      position: await change(context, accountId, { type: 'RevokeApiKey', keyId }),
    }),

    async rotateKey(context, { accountId, keyId, graceSeconds }) {
      const { apiKey, digest } = newSecret(keyId)
      const at = clock.now()
      const oldKeyValidUntil = at + graceSeconds * 1000
      const position = await change(context, accountId, {
        type: 'RotateApiKey',
        keyId,
        digest,
        at,
        oldValidUntil: oldKeyValidUntil,
      })
      return { keyId, apiKey, oldKeyValidUntil, position }
    },
  }
}
