import { EngineUnavailable } from '@medialog/application'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Fault } from '../contract/port-faults.ts'
import { note, openService, type OpenService } from '../contract/served.ts'
import { endedBatch, expectWholeBatch, nano } from '../harness/batches.ts'
import { balanceOf } from '../faults/killable.ts'
import type { Answer, Client } from '../harness/client.ts'
import { expectStatus } from '../harness/expect-status.ts'

let service: OpenService
beforeAll(async () => void (service = await openService()))
afterAll(() => service.close())

const total = async (client: Client, path: string): Promise<number> =>
  (await client.request('GET', path)).body.data.pagination.total_items

/** Of the first request under a key no event of these types is recorded: as after its process died, or was given up for dead. */
function losing(types: readonly string[]): Fault {
  let first: string | undefined
  return (append, [, , events]) => {
    for (const { type, metadata } of events as { type: string; metadata: { requestId?: string } }[]) {
      if (type === 'RequestStarted') first ??= metadata.requestId
      if (types.includes(type) && metadata.requestId === first)
        throw new EngineUnavailable('event store', 'lost')
    }
    return append()
  }
}

/** The same twice: of the end of the first the log holds what `types` leave there. It is answered by what it stored. */
async function repeated(types: readonly string[], ask: () => Promise<Answer>): Promise<Answer> {
  return service.faults.during('eventStore.append', losing(types), async () => {
    expectStatus(await ask(), 200)
    return ask()
  })
}

describe.each([
  ['that was given up for dead', ['RequestCompleted']],
  ['whose process died', ['RequestCompleted', 'RequestAbandoned']],
])('what came of a request %s answers its repeat', (_, types) => {
  const key = { 'idempotency-key': `untold-${types.length}` }

  test.each(['false', 'true'])('an upload, stored and charged once (force_overwrite: %s)', async (force) => {
    const { client } = await service.openAccount(1)
    const bytes = note()
    const upload = (text = bytes) => client.upload('one.txt', text, { force_overwrite: force }, key)
    const { status, headers, body } = await repeated(types, upload)
    expect([status, headers.get('idempotency-replayed')], JSON.stringify(body)).toEqual([200, 'true'])
    expect(await total(client, '/v1/media')).toBe(1)
    expect(await balanceOf(client)).toBe(nano(0.96))
    expect((await upload()).body.data.media_id).toBe(body.data.media_id)
    expect((await upload(note())).body.error.code).toBe('IDEMPOTENCY_KEY_REUSED')
    expect(await balanceOf(client)).toBe(nano(0.96))
  })

  test('a batch, which goes on', async () => {
    const { client } = await service.openAccount(1)
    const files = [
      { filename: 'a.txt', bytes: note() },
      { filename: 'b.txt', bytes: note() },
    ]
    const send = (some = files) => client.batch(some, {}, key)
    const { status, headers, body } = await repeated(types, send)
    expect([status, headers.get('idempotency-replayed')], JSON.stringify(body)).toEqual([200, 'true'])
    expectWholeBatch(await endedBatch(client, body.data.batch_id), ['a.txt', 'b.txt'])
    expect((await send()).body.data).toEqual(body.data)
    expect(await total(client, '/v1/batches')).toBe(1)
    expect(await balanceOf(client)).toBe(nano(0.92))
    expect((await send(files.slice(1))).body.error.code).toBe('idempotency_key_reused')
  })
})

test('what was refused leaves its key to the same request again, and to any other', async () => {
  const { accountId, client } = await service.openAccount(0.03)
  const key = { 'idempotency-key': 'poor' }
  const bytes = note()
  for (const _ of [1, 2, 3]) expectStatus(await client.upload('one.txt', bytes, {}, key), 403)
  await service.operator.request('POST', `/admin/accounts/${accountId}/credits`, { json: { amount: 1 } })
  const { status, headers } = await client.upload('one.txt', bytes, {}, key)
  expect([status, headers.get('idempotency-replayed')]).toEqual([200, null])
})

test('a 503 to an upload that is stored names the item, and the same key is given the answer later', async () => {
  const { client } = await service.openAccount(1)
  const key = { 'idempotency-key': 'unread' }
  const bytes = note()
  let isStored = false
  const store: Fault = async (append, [, , events]) => {
    const appended = await append()
    isStored ||= (events as { type: string }[]).some(({ type }) => type === 'ChargeSettled')
    return appended
  }
  const away: Fault = async (real) => {
    if (isStored) throw new EngineUnavailable('artifacts', 'away', { retryAfterSeconds: 3 })
    return real()
  }
  const unread = await service.faults.during('eventStore.append', store, () =>
    service.faults.during('artifacts.get', away, () => client.upload('one.txt', bytes, {}, key)),
  )
  expect([unread.status, unread.body.error.code, unread.headers.get('retry-after')]).toEqual([
    503,
    'SERVICE_UNAVAILABLE',
    '3',
  ])
  const { media_id: mediaId } = unread.body.error.details
  // The catalog could not read the item either, and has to try again first.
  const headers = { 'x-min-position': unread.headers.get('x-position')! }
  const item = await client.request('GET', `/v1/media/${mediaId}`, { headers })
  expect(item.body.data.file_info.filename).toBe('one.txt')
  const again = await client.upload('one.txt', bytes, {}, key)
  expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 'true'])
  expect(again.body.data.media_id).toBe(mediaId)
  expect((await client.upload('one.txt', bytes)).body.error.code).toBe('DUPLICATE_FILE')
  expect(await balanceOf(client)).toBe(nano(0.96))
})

test('what could cost more than X-Max-Cost allows is refused, and costs nothing', async () => {
  const { client } = await service.openAccount(1)
  const file = [{ filename: 'a.txt', bytes: note() }]
  const most = (usd: string) => ({ 'X-Max-Cost': usd })
  const refusals = [
    await client.upload('a.txt', note(), {}, most('0.039')),
    await client.batch(file, {}, most('0.039')),
    await client.request('POST', '/v1/search', {
      json: { query: 'ferry', type: 'advanced' },
      headers: most('0'),
    }),
    await client.upload('a.txt', note(), {}, most('a dollar')),
  ]
  for (const { status, body } of refusals) {
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining('X-Max-Cost')])
  }
  expect(await total(client, '/v1/media')).toBe(0)
  expect(await balanceOf(client)).toBe(nano(1))
  expectStatus(await client.upload('a.txt', note(), {}, most('0.04')), 200)
})
