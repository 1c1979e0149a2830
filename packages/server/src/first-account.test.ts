import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Application } from '@medialog/application'
import { formatUsd } from '@medialog/kernel'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openFirstAccount } from './first-account.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'medialog-first-account-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** An operator's side that remembers what was done, and dies at the step named. */
function applicationOf(opened: { name: string; keys: string[]; credits: Map<string, string> }[], dieAt = '') {
  const at = (step: string) => {
    if (step === dieAt) throw new Error('killed')
  }
  const accounts = {
    list: async () => ({
      accounts: opened.map(({ name }, index) => ({ account: { accountId: String(index), name } })),
      total: opened.length,
    }),
    async open(_: unknown, { name }: { name: string }) {
      at('open')
      opened.push({ name, keys: [], credits: new Map() })
      return { account: { accountId: String(opened.length - 1), name } }
    },
    async credit(
      _: unknown,
      { accountId, amount, reference }: { accountId: string; amount: bigint; reference: string },
    ) {
      at('credit')
      opened[Number(accountId)]!.credits.set(reference, formatUsd(amount))
    },
    keys: async (accountId: string) => opened[Number(accountId)]!.keys,
    async issueKey(_: unknown, { accountId }: { accountId: string }) {
      at('key')
      opened[Number(accountId)]!.keys.push('mlk')
      return { apiKey: 'mlk_first' }
    },
  }
  return { accounts } as unknown as Application
}

test.each(['', 'open', 'credit', 'key'])(
  'a start that died at “%s” is completed by the next, once',
  async (step) => {
    const accounts: Parameters<typeof applicationOf>[0] = []
    if (step) await expect(openFirstAccount(applicationOf(accounts, step), folder)).rejects.toThrow('killed')
    expect(await openFirstAccount(applicationOf(accounts), folder)).toBe('mlk_first')
    expect(await openFirstAccount(applicationOf(accounts), folder)).toBeNull()
    expect(readFileSync(join(folder, 'secrets', 'first-account'), 'utf8')).toBe('0\n')
    // A read model that is behind or being rebuilt lists no account: none is opened again.
    expect(await openFirstAccount(applicationOf([]), folder)).toBeNull()
    expect(accounts).toEqual([{ name: 'dev', keys: ['mlk'], credits: new Map([['first start', '10']]) }])
  },
)

test('an account of somebody else’s is left alone', async () => {
  const accounts = [{ name: 'Acme', keys: [], credits: new Map() }]
  expect(await openFirstAccount(applicationOf(accounts), folder)).toBeNull()
  expect(accounts).toEqual([{ name: 'Acme', keys: [], credits: new Map() }])
})
