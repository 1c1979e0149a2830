import type { AccountWithBalance } from '@medialog/application'
import type { Account } from '@medialog/contract/http'
import { routes } from '@medialog/contract/http'
import { counted, isoTime, toUsdNumber, type Money } from '@medialog/kernel'
import type { z } from 'zod'
import { idempotencyKey } from '../admission.ts'
import { requestContext } from '../exchange.ts'
import type { HttpOptionsOf } from '../options.ts'
import type { Handlers } from '../route.ts'
import { erasureView } from '../views/erasure.ts'
import { keyView } from '../views/key.ts'
import { paginationWithNext } from '../views/pagination.ts'

type AdminHandlers = Handlers<
  | 'openAccount'
  | 'listAccounts'
  | 'readAccount'
  | 'creditAccount'
  | 'changeTier'
  | 'changeState'
  | 'closeAccount'
  | 'issueKey'
  | 'listKeys'
  | 'revokeKey'
  | 'rotateKey'
>

export function adminHandlers({
  application: { accounts },
  clock,
}: HttpOptionsOf<'accounts'>): AdminHandlers {
  return {
    async openAccount({ ctx, body }) {
      const key = idempotencyKey(ctx, routes.openAccount)
      const opened = await accounts.open(requestContext(ctx.state.exchange), {
        ...body,
        ...(key !== undefined && { idempotencyKey: key }),
      })
      if (opened.replayed) ctx.set('Idempotency-Replayed', 'true')
      return { message: 'The account is open.', data: accountView(opened) }
    },

    async listAccounts({ query: { page, page_size: pageSize } }) {
      const { accounts: listed, total } = await accounts.list({ page, pageSize })
      return {
        message: `${counted(total, 'account')}.`,
        data: {
          accounts: listed.map(accountView),
          pagination: paginationWithNext({ page, pageSize }, total),
        },
      }
    },

    async readAccount({ params }) {
      const found = await accounts.read(params.account_id)
      return { message: 'Account retrieved.', data: accountView(found) }
    },

    async creditAccount({ ctx, params, body }) {
      const key = idempotencyKey(ctx, routes.creditAccount)
      const { balance, replayed } = await accounts.credit(requestContext(ctx.state.exchange), {
        accountId: params.account_id,
        amount: body.amount,
        reference: body.reference ?? null,
        ...(key !== undefined && { idempotencyKey: key }),
      })
      if (replayed) ctx.set('Idempotency-Replayed', 'true')
      return {
        message: 'The account was credited.',
        data: { account_id: params.account_id, balance: toUsdNumber(balance) },
      }
    },

    async changeTier({ ctx, params, body: { tier } }) {
      const accountId = params.account_id
      await accounts.changeTier(requestContext(ctx.state.exchange), { accountId, tier })
      return { message: `The tier is ${tier}.`, data: { account_id: accountId, tier } }
    },

    async changeState({ ctx, params, body: { state } }) {
      const accountId = params.account_id
      await accounts.changeState(requestContext(ctx.state.exchange), { accountId, state })
      return { message: `The account is ${state}.`, data: { account_id: accountId, payment_status: state } }
    },

    async closeAccount({ ctx, params }) {
      const { account, balance, erasure } = await accounts.close(
        requestContext(ctx.state.exchange),
        params.account_id,
      )
      return {
        message: 'The account is closed for good.',
        data: {
          account_id: account.accountId,
          payment_status: 'closed',
          balance: balanceOf(balance),
          erasure: erasureView(erasure),
        },
      }
    },

    async issueKey({ ctx, params, body }) {
      const { keyId, apiKey } = await accounts.issueKey(requestContext(ctx.state.exchange), {
        accountId: params.account_id,
        label: body.label,
        capabilities: body.capabilities,
        expiresAt: body.expires_at ?? null,
      })
      return {
        message: 'Keep the key: it is shown this once.',
        data: { key_id: keyId, api_key: apiKey },
      }
    },

    async listKeys({ params }) {
      const keys = await accounts.keys(params.account_id)
      const now = clock.now()
      return {
        message: `${counted(keys.length, 'key')}.`,
        data: { keys: keys.map((key) => keyView(key, now)) },
      }
    },

    async revokeKey({ ctx, params: { account_id: accountId, key_id: keyId } }) {
      await accounts.revokeKey(requestContext(ctx.state.exchange), { accountId, keyId })
      return { message: 'The key is revoked.', data: { key_id: keyId, revoked: true } }
    },

    async rotateKey({ ctx, params: { account_id: accountId, key_id: keyId }, body }) {
      const rotated = await accounts.rotateKey(requestContext(ctx.state.exchange), {
        accountId,
        keyId,
        graceSeconds: body.grace_seconds,
      })
      return {
        message: 'Keep the new key: it is shown this once.',
        data: {
          key_id: rotated.keyId,
          api_key: rotated.apiKey,
          old_key_valid_until: isoTime(rotated.oldKeyValidUntil),
        },
      }
    },
  }
}

const balanceOf = (balance: Money | null): number | null => (balance === null ? null : toUsdNumber(balance))

const accountView = ({ account, balance }: AccountWithBalance): z.input<typeof Account> => ({
  account_id: account.accountId,
  name: account.name,
  tier: account.tier,
  balance: balanceOf(balance),
  payment_status: account.status,
  created_at: isoTime(account.openedAt),
})
