import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Intruder } from '@medialog/event-store/testing/eventstoredb/intruder'
import { afterAll, expect, test, vi } from 'vitest'
import { balanceOf } from '../../faults/killable.ts'
import { nano } from '../../harness/batches.ts'
import { openAccount } from '../../harness/accounts.ts'
import { asAccount, type Client } from '../../harness/client.ts'
import { expectStatus } from '../../harness/expect-status.ts'
import type { Served } from '../../harness/on-eventstoredb.ts'
import { operated } from '../../harness/operations.ts'

const HANDS: Record<string, { does: (by: Intruder, stream: string) => Promise<void>; reason: string }> = {
  'an event of somebody else': {
    does: (by, stream) => by.plant(stream, 'BalanceCredited'),
    reason: 'the event was not written by the service',
  },
  'a tombstone': { does: (by, stream) => by.tombstone(stream), reason: 'with a tombstone' },
  'a deletion': { does: (by, stream) => by.softDelete(stream), reason: 'it was deleted by somebody else' },
  'a truncation': {
    does: (by, stream) => by.hideBefore(stream, 2),
    reason: 'its revisions below 2 are hidden, and no erasure tells why',
  },
}

const CREDIT = 10
const ITEM = 0.04
const LONG = { timeout: 60_000, interval: 100 }

/**
 * Somebody else with access to the server damages ledgers of some accounts: each of them is refused, every other account
 * goes on, and status, log and both proofs name the streams, also after a start and after the read models are rebuilt.
 */
export function damagedStreams(served: Served, by: Intruder): void {
  const damaged: { stream: string; reason: string; apiKey: string }[] = []
  let good: { apiKey: string; uploaded: number } | null = null
  afterAll(() => by[Symbol.asyncDispose]())

  const clientOf = ({ apiKey }: { apiKey: string }): Client => asAccount(served.server().url, apiKey)

  async function open(name: string) {
    const opened = await openAccount(served.operator(), { name, credit: CREDIT })
    expectStatus(await clientOf(opened).upload('first.txt', `What ${name} has of the tide.`), 200)
    return { ...opened, stream: `ledger-${opened.accountId}` }
  }

  async function expectRefused(bad: { apiKey: string }): Promise<void> {
    const upload = await clientOf(bad).upload('second.txt', `A note that is not stored, ${Math.random()}.`)
    for (const answer of [upload, await clientOf(bad).request('GET', '/v1/usage')]) {
      expectStatus(answer, 503)
      expect(JSON.stringify(answer.body)).toMatch(/service_unavailable/i)
      expect(JSON.stringify(answer.body)).toContain('is damaged')
      expect(answer.headers.get('retry-after')).toBeNull()
    }
  }

  /** An upload, its place in the listing and its price: all that an account sees of its ledger being whole. */
  async function expectGoesOn(): Promise<void> {
    good ??= { ...(await open('good')), uploaded: 1 }
    const client = clientOf(good)
    const name = `good-${++good.uploaded}.txt`
    const { body } = await client.upload(name, `Note ${good.uploaded} of the account that goes on.`)
    expect(body.data?.media_id).toBeDefined()
    await vi.waitFor(async () => {
      const { body: listed } = await client.request('GET', '/v1/media?page_size=100')
      expect(JSON.stringify(listed)).toContain(name)
    }, LONG)
    expect(await balanceOf(client)).toBe(nano(CREDIT) - good.uploaded * nano(ITEM))
  }

  async function expectNamed(): Promise<void> {
    const { status, body } = await clientOf(good!).request('GET', '/v1/status')
    expect([status, body.data.status]).toEqual([200, 'degraded'])
    const { message } = body.data.notice
    for (const { stream, reason } of damaged)
      expect(message.slice(message.indexOf(`${stream} is damaged`))).toMatch(
        RegExp(`^ledger-\\S+ is.*${reason}`),
      )
  }

  test.each(Object.keys(HANDS))('%s in one ledger: its account is refused, another goes on', async (hand) => {
    const { does, reason } = HANDS[hand]!
    await expectGoesOn()
    const bad = await open(hand)
    await does(by, `${served.prefix}${bad.stream}`)
    damaged.push({ ...bad, reason })
    await vi.waitFor(() => expectRefused(bad), LONG)
    await expectGoesOn()
    await expectNamed()
    expect(served.server().errors()).toMatch(`${bad.stream} is damaged`)
  })

  const proofs = { 'log-verify': 'position', 'audit-verify': 'what' }
  test.each(Object.keys(proofs))('%s lists each damaged stream and goes on', async (kind) => {
    const { status, result } = await operated(served.operator(), { kind })
    expect([status, result.intact]).toEqual(['succeeded', false])
    const streams = new Set(result.findings.map(({ stream }: { stream: string }) => stream))
    expect(streams).toEqual(new Set(damaged.map(({ stream }) => stream)))
    expect(result.events).toBeGreaterThan(10)
  })

  test('after a start it is as before', async () => {
    expect(await served.stop()).toBe(0)
    await served.start()
    await expectGoesOn()
    await expectNamed()
    for (const bad of damaged) await expectRefused(bad)
  })

  test('rebuilt read models show no balance of half a ledger', async () => {
    expect(await served.stop()).toBe(0)
    await rm(join(served.folder, 'read-models'), { recursive: true })
    await served.start()
    await expectGoesOn()
    for (const bad of damaged) await expectRefused(bad)
    const { status } = await operated(served.operator(), { kind: 'projections-rebuild', name: 'usage' })
    expect(status).toBe('succeeded')
    await expectGoesOn()
    for (const bad of damaged) await expectRefused(bad)
    await expectNamed()
  })
}
