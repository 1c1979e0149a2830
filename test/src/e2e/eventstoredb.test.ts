import { expect, test, vi } from 'vitest'
import { balanceOf, expectBooksToBalance } from '../faults/killable.ts'
import { nano } from '../harness/batches.ts'
import { follow } from '../harness/feed.ts'
import { serveOnEventStoreDb } from '../harness/on-eventstoredb.ts'
import { operated } from '../harness/operations.ts'
import { expectStatus } from '../harness/expect-status.ts'
import { lifeOnEventStoreDb } from './suites/life-on-eventstoredb.ts'

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 })

const ITEM = 0.04
/** A loaded machine takes its time; what is waited for is a condition. */
const LONG = { timeout: 120_000, interval: 200 }

const { log, ...served } = await serveOnEventStoreDb()
const { account, operator, filenames, feed, server, start, stop } = served

const statusOf = async (): Promise<string | null> => {
  const { body } = await account().request('GET', '/v1/status')
  // A critical one is a 503 that carries its data.
  return Object.keys(body).includes('data') ? body.data.status : null
}
/** What was paid beside the items that are there. */
let others = 0
let erasure_id = ''

lifeOnEventStoreDb(served, (paid, erasureId) => {
  others = paid
  erasure_id = erasureId
})

test('what was erased is in no byte of the server, and no append came without a revision', async () => {
  const audited = async () => (await operated(operator(), { kind: 'audit-erasure', erasure_id })).result
  expect(await audited()).toMatchObject({ intact: true, log_retains: 0 })
  // A read model's file is wiped a moment after its rebuild.
  await vi.waitFor(
    async () => expect(await audited()).toMatchObject({ complete: true, being_wiped: [] }),
    LONG,
  )
  expect(log.log.all.map(({ data }) => Buffer.from(data).toString()).join()).not.toContain('gone.txt')
  expect(log.faults.appendsAtAnyRevision).toBe(0)
})

test('while the log is away writes are refused, reads go on, status says it; it comes back by itself', async () => {
  const [balance, names] = [await balanceOf(account()), await filenames()]
  await log.stop()
  const refused = await account().upload('refused.txt', 'There is nowhere to write it down.')
  expect([refused.status, refused.body.error.code]).toEqual([503, 'SERVICE_UNAVAILABLE'])
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await filenames()).toEqual(names)
  expect(await statusOf()).toBe('critical')
  await log.start()
  await vi.waitFor(async () => expect(await statusOf()).toBe('operational'), LONG)
  await vi.waitFor(async () => {
    const answer = await account().upload('written.txt', 'Now it is written down.')
    expectStatus(answer, 200)
  }, LONG)
  expect(await filenames()).toEqual([...names, 'written.txt'].sort())
  await vi.waitFor(async () => expect(await balanceOf(account())).toBe(balance - nano(ITEM)), LONG)
})

test('what happens is told as on the embedded log, over restarts of the server too, and nothing erased', async () => {
  const following = (after?: string) => follow(...feed(), after === undefined ? {} : { after })
  const live = await following()
  const upload = async (name: string): Promise<string> => {
    const { status, body } = await account().upload(name, `What ${name} says of the tide.`)
    expect(status).toBe(200)
    return body.data.media_id
  }
  const gone = await upload('told.txt')
  await vi.waitFor(() => expect(live.events).toHaveLength(3), LONG)
  const place = live.lastId()
  await log.stop()
  await log.start()
  await vi.waitFor(async () => expect(await statusOf()).toBe('operational'), LONG)
  await upload('told-later.txt')
  await vi.waitFor(() => expect(live.events).toHaveLength(6), LONG)
  await account().request('DELETE', `/v1/media/${gone}`)
  others += nano(ITEM)
  const stream = `media-${gone.slice(4)}`
  const { stream: stored } = log.log.all.find((event) => event.stream.endsWith(stream))!
  await vi.waitFor(() => expect(log.log.visible(stored)).toMatchObject([{ type: 'MediaDeleted' }]), LONG)
  await vi.waitFor(() => expect(live.events).toHaveLength(7), LONG)
  const [resumed, all] = [await following(place), await following('beginning')]
  await vi.waitFor(() => expect(resumed.events).toEqual(live.events.slice(3)), LONG)
  const left = live.events.filter(({ subject, type }) => subject !== stream || type.endsWith('MediaDeleted'))
  await vi.waitFor(() => expect(all.events.slice(-left.length)).toEqual(left), LONG)
  expect(all.events.filter(({ subject }) => subject === stream)).toHaveLength(1)
  for (const follower of [live, resumed, all]) follower.leave()
})

test('a server that restarts under load, with answers lost, costs nobody an item or a cent', async () => {
  const client = account()
  const uploads = Array.from({ length: 12 }, async (_, number) => {
    const key = { 'idempotency-key': `restart-${number}` }
    const text = `The note of number ${number}, written while its log was being restarted.`
    let status = 0
    await vi.waitFor(async () => {
      ;({ status } = await client.upload(`restart-${number}.txt`, text, {}, key))
      expect(status).toBe(200)
    }, LONG)
  })
  log.faults.repliesToLose = 5
  await log.stop()
  await log.start()
  log.faults.repliesToLose = 5
  await Promise.all(uploads)
  const names = await filenames()
  expect(names.filter((name) => name.startsWith('restart-'))).toHaveLength(12)
  expect(new Set(names).size).toBe(names.length)
  await vi.waitFor(() => expectBooksToBalance(client, others), LONG)
  expect(await operated(operator(), { kind: 'log-verify' })).toMatchObject({ result: { intact: true } })
})

test('an older copy of the server gets no append, status is critical, and nothing is charged', async () => {
  const older = log.log.all.at(-1)!.position
  expectStatus(await account().upload('newer.txt', 'What the older copy does not have.'), 200)
  const kept = [...log.log.all]
  const [balance, names] = [await balanceOf(account()), await filenames()]
  await log.stop()
  log.log.goBackTo(older)
  await log.start()
  const refused = await account().upload('lost.txt', 'What would never be listed.')
  expectStatus(refused, 503)
  await vi.waitFor(async () => expect(await statusOf()).toBe('critical'), LONG)
  expect(server().errors()).toMatch(/the event log ends at position \d+, but this process has followed one/)
  expect(await filenames()).toEqual(names)
  for (const event of kept) if (event.position > older) log.log.putIn(event)
  await vi.waitFor(async () => expect(await statusOf()).toBe('operational'), LONG)
  expectStatus(await account().upload('after.txt', 'The log is there again.'), 200)
  await vi.waitFor(async () => expect(await filenames()).toEqual([...names, 'after.txt'].sort()), LONG)
  expect(await balanceOf(account())).toBe(balance - nano(ITEM))
})

test('a start that the server refuses, or that finds none, ends with one line that says what to do', async () => {
  await stop()
  const refused = async () => {
    const error: Error = await start().then(
      () => Error('it started'),
      (failure) => failure,
    )
    return error.message.replace(/^ended before it was ready \(1\): /, '')
  }
  log.faults.refuses = 'reading $all'
  expect(await refused()).toMatch(
    /^medialog: EVENTSTOREDB_URL cannot be used: EventStoreDB .* does not let the user read the stream \$all: .*\n$/,
  )
  log.faults.refuses = null
  await log.stop()
  expect(await refused()).toMatch(/^medialog: EventStoreDB .* is unavailable: it cannot be reached.*\n$/)
  await log.start()
  await start()
})
