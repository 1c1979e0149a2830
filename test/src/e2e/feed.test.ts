import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { openAccount } from '../harness/accounts.ts'
import { endedBatch } from '../harness/batches.ts'
import { asAccount, asOperator, type Client } from '../harness/client.ts'
import { follow, type Follower, type NotFollowed } from '../harness/feed.ts'
import { startServer, temporaryDataFolder, type RunningServer } from '../harness/server.ts'
import { expectStatus } from '../harness/expect-status.ts'

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 })
const LONG = { timeout: 60_000, interval: 20 }

interface Account {
  accountId: string
  keyId: string
  apiKey: string
  client: Client
  follow(query?: Record<string, string>, headers?: Record<string, string>): Promise<Follower>
}

let folder: Awaited<ReturnType<typeof temporaryDataFolder>>
let server: RunningServer
beforeAll(async () => {
  folder = await temporaryDataFolder()
  server = await startServer({ dataFolder: folder.path })
})
afterAll(async () => {
  await server.stop()
  await folder.remove()
})

const operator = (): Client => asOperator(server.url, server.operatorToken)

async function openFollower(tier = 'enterprise'): Promise<Account> {
  const opened = await openAccount(operator(), { name: 'a follower', credit: 10, tier })
  const { apiKey } = opened
  return {
    ...opened,
    get client() {
      return asAccount(server.url, apiKey)
    },
    async follow(query = {}, headers = {}) {
      const follower = await follow(server.url, { 'x-api-key': apiKey, ...headers }, query)
      onTestFinished(() => follower.leave())
      return follower
    },
  }
}

let note = 0
const upload = async (
  { client }: Account,
  filename = 'note.txt',
): Promise<{ id: string; position: string }> => {
  const { status, headers, body } = await client.upload(filename, `The note of number ${note++}, on the sea.`)
  expect(status).toBe(200)
  return { id: body.data.media_id, position: headers.get('x-position')! }
}
const UPLOADED = ['BalanceCharged', 'MediaIngested', 'ChargeSettled']
const refusalOf = async (following: Promise<Follower>): Promise<unknown[]> => {
  const refused = await following.then(
    () => null,
    (error: unknown) => error as NotFollowed,
  )
  return [refused?.status, refused?.body.error.code]
}
const holds = (follower: Follower, types: string[]) =>
  vi.waitFor(() => expect(follower.types()).toEqual(types), LONG)

test('what happens is told as it happens; from each place the rest is told again, and nothing else', async () => {
  const account = await openFollower()
  const live = await account.follow()
  const { id } = await upload(account)
  await holds(live, UPLOADED)
  await account.client.request('POST', '/v1/media/collections/sea/items', { json: { items: [id] } })
  const { body: batch } = await account.client.batch([{ filename: 'tide.txt', bytes: `The tide turns.` }])
  await endedBatch(account.client, batch.data.batch_id)
  await vi.waitFor(() => expect(live.types().slice(-2)).toEqual(['ChargeSettled', 'BatchCompleted']), LONG)
  expect(live.types()).toContain('ItemsMoved')
  expect(live.events.every(({ accountid }) => accountid === account.accountId)).toBe(true)
  expect(new Set(live.events.map((event) => event.id)).size).toBe(live.events.length)
  expect(JSON.stringify(live.events)).not.toMatch(/note\.txt|tide\.txt|position/)

  for (const [index, place] of live.ids.entries()) {
    const rest = live.events.slice(index + 1)
    const query: Record<string, string> = index % 2 === 0 ? { after: place } : {}
    const headers: Record<string, string> = index % 2 === 0 ? {} : { 'last-event-id': place }
    const resumed = await account.follow(query, headers)
    await vi.waitFor(() => expect(resumed.events).toEqual(rest), LONG)
    resumed.leave()
  }
  const all = await account.follow({ after: 'beginning' })
  await vi.waitFor(() => expect(all.events.slice(1)).toEqual(live.events), LONG)
  expect(all.types()[0]).toBe('BalanceCredited')
})

test('any X-Position is a place to begin at, and types are picked', async () => {
  const account = await openFollower()
  const { position } = await upload(account)
  await upload(account)
  const after = await account.follow({ after: position })
  await vi.waitFor(() => expect(after.types()).toContain('MediaIngested'), LONG)
  expect(after.types().filter((type) => type === 'BalanceCharged')).toHaveLength(1)
  const picked = await account.follow({
    after: 'beginning',
    types: 'medialog.MediaIngested,BalanceCredited',
  })
  await holds(picked, ['BalanceCredited', 'MediaIngested', 'MediaIngested'])
})

test('nobody is told anything of another account, nor takes its places', async () => {
  const [mine, theirs] = [await openFollower(), await openFollower()]
  const [here, there] = [
    await mine.follow({ after: 'beginning' }),
    await theirs.follow({ after: 'beginning' }),
  ]
  await Promise.all(Array.from({ length: 4 }, () => [upload(mine), upload(theirs)]).flat())
  for (const [follower, { accountId }] of [
    [here, mine],
    [there, theirs],
  ] as const) {
    await vi.waitFor(() => expect(follower.events).toHaveLength(13), LONG)
    expect(new Set(follower.events.map(({ accountid }) => accountid))).toEqual(new Set([accountId]))
    const subjects = follower.events.map(({ subject }) => subject).filter((name) => name.startsWith('ledger'))
    expect(new Set(subjects)).toEqual(new Set([`ledger-${accountId}`]))
  }
  expect(await refusalOf(mine.follow({ after: there.lastId() }))).toEqual([400, 'VALIDATION_ERROR'])
  expect(await refusalOf(mine.follow({}, { 'last-event-id': there.lastId() }))).toEqual([
    400,
    'VALIDATION_ERROR',
  ])
})

test.each([
  ['after', { after: 'yesterday' }, {}],
  ['after', { after: '12' }, {}],
  ['Last-Event-ID', { after: 'beginning' }, { 'last-event-id': 'x'.repeat(22) }],
  ['types', { types: 'medialog.MediaIngested,medialog.ApiKeyIssued' }, {}],
  ['types', { types: '' }, {}],
  ['since', { since: '1' }, {}],
])('what is not understood is refused: %s', async (parameter, query, headers) => {
  const { apiKey } = await openFollower()
  const refused = (await follow(server.url, { 'x-api-key': apiKey, ...headers }, query as never).catch(
    (error: unknown) => error,
  )) as NotFollowed
  expect(refused.body.error).toMatchObject({ code: 'VALIDATION_ERROR', details: { parameter } })
})

test('an account follows only so often at once, and again when one has left', async () => {
  const account = await openFollower('free')
  const first = await account.follow()
  await account.follow()
  expect(await refusalOf(account.follow())).toEqual([429, 'RATE_LIMIT_EXCEEDED'])
  first.leave()
  await vi.waitFor(() => account.follow(), LONG)
})

test('a key that is revoked ends what it follows; another key of the account goes on', async () => {
  const account = await openFollower()
  const path = `/admin/accounts/${account.accountId}`
  const { body: other } = await operator().request('POST', `${path}/keys`, { json: {} })
  const [ending, going] = [
    await account.follow(),
    await account.follow({}, { 'x-api-key': other.data.api_key }),
  ]
  await operator().request('DELETE', `${path}/keys/${account.keyId}`)
  expect(await ending.ended).toMatchObject({ reason: 'key_not_valid' })
  expect(await refusalOf(account.follow())).toEqual([401, 'INVALID_API_KEY'])
  await operator().request('POST', `${path}/credits`, { json: { amount: 1 } })
  await holds(going, ['BalanceCredited'])
})

test('a suspension ends what is followed; it can be followed on, as everything can be read', async () => {
  const account = await openFollower()
  const before = await account.follow()
  const state = (state: string) =>
    operator().request('PUT', `/admin/accounts/${account.accountId}/state`, { json: { state } })
  await state('suspended')
  expect(await before.ended).toMatchObject({ reason: 'account_suspended' })
  const during = await account.follow({ after: before.lastId() })
  await state('active')
  await upload(account)
  await holds(during, UPLOADED)
})

test('what was erased is told to nobody again: only that it was deleted', async () => {
  const account = await openFollower()
  const live = await account.follow()
  const [kept, gone] = [await upload(account), await upload(account, 'wreck.txt')]
  await vi.waitFor(() => expect(live.events).toHaveLength(6), LONG)
  const place = live.ids[0]!
  await account.client.request('DELETE', `/v1/media/${gone.id}`)
  await vi.waitFor(() => expect(live.types().at(-1)).toBe('MediaDeleted'), LONG)
  const streamOf = (id: string) => `media-${id.slice(4)}`
  const expectLeft = async (follower: Follower) => {
    await vi.waitFor(() => expect(follower.types()).toContain('MediaDeleted'), LONG)
    const of = (id: string) =>
      follower.events.filter(({ subject }) => subject === streamOf(id)).map(({ type }) => type)
    expect(of(gone.id)).toEqual(['medialog.MediaDeleted'])
    expect(of(kept.id)).toEqual(['medialog.MediaIngested'])
  }
  await expectLeft(await account.follow({ after: place }))
  await vi.waitFor(async () => {
    const metrics = await fetch(`${server.url}/metrics`, {
      headers: { authorization: `Bearer ${server.operatorToken}` },
    })
    expect(await metrics.text()).toContain('medialog_erasures_pending 0')
  }, LONG)
  await expectLeft(await account.follow({ after: 'beginning' }))
})

test('HEAD is answered, and probes nothing', async () => {
  const { apiKey } = await openFollower()
  const head = await fetch(`${server.url}/v1/events`, { method: 'HEAD', headers: { 'x-api-key': apiKey } })
  expectStatus(head, 200)
  expect(head.headers.get('content-type')).toMatch(/^text\/event-stream/)
  expect(await head.text()).toBe('')
})

test('who follows, and what they were told, is measured', async () => {
  const account = await openFollower()
  await holds(await account.follow({ after: 'beginning' }), ['BalanceCredited'])
  const metrics = await fetch(`${server.url}/metrics`, {
    headers: { authorization: `Bearer ${server.operatorToken}` },
  })
  const value = (text: string, name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
  const text = await metrics.text()
  expect(value(text, 'medialog_feed_followers')).toBeGreaterThan(0)
  expect(value(text, 'medialog_feed_events_total')).toBeGreaterThan(0)
  expect(value(text, 'medialog_feed_catching_up')).toBe(0)
})

test('when the service stops, followers learn it and resume where they were', async () => {
  const account = await openFollower()
  const before = await account.follow()
  await upload(account)
  await holds(before, UPLOADED)
  expect(await server.stop()).toBe(0)
  expect(await before.ended).toMatchObject({ reason: 'stopping' })
  server = await startServer({ dataFolder: folder.path })
  await upload(account)
  await holds(await account.follow({ after: before.lastId() }), UPLOADED)
})
