import { readdir } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { EngineUnavailable } from '@medialog/application'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { gate, type Fault } from '../contract/port-faults.ts'
import { openService, type OpenService } from '../contract/served.ts'
import { endedBatch, nano, statusesOf } from '../harness/batches.ts'
import type { Answer, Client } from '../harness/client.ts'
import { expectStatus } from '../harness/expect-status.ts'

let service: OpenService
let client: Client
let accountId: string
beforeAll(async () => {
  service = await openService()
})
afterAll(() => service.close())

const balance = async (): Promise<number> =>
  nano((await client.request('GET', '/v1/usage')).body.data.account_info.balance)
const item = (id: string): Promise<Answer> => client.request('GET', `/v1/media/${id}`)
const upload = (text: string, fields: Record<string, string> = {}): Promise<Answer> =>
  client.upload('a.txt', text, fields)
const deleteCollection = (name: string): Promise<Answer> =>
  client.request('DELETE', `/v1/media/collections/${name}`)

/** Does `between` while an append with an event of that type is on its way. */
async function whileOnItsWay<T>(
  type: string,
  work: () => Promise<T>,
  between: () => Promise<unknown>,
): Promise<T> {
  const { reached, open, pass } = gate()
  let met = false
  const first: Fault = (real, args) => {
    const events = args[2] as { type: string }[]
    if (met || !events.some((event) => event.type === type)) return real()
    met = true
    return pass(real, args)
  }
  return service.faults.during('eventStore.append', first, async () => {
    const done = work()
    await Promise.race([reached, done])
    expect(met).toBe(true)
    try {
      await between()
    } finally {
      open()
    }
    return done
  })
}

const deleted = async (name: string, items: number): Promise<void> => {
  const { status, body } = await deleteCollection(name)
  expect([status, body.data?.deleted_items], JSON.stringify(body)).toEqual([200, items])
}

test('an upload whose record is on its way while its collection is deleted is there', async () => {
  ;({ client } = await service.openAccount(1))
  const other = await upload('It was in the collection before.', { collection_id: 'papers' })
  const { status, body } = await whileOnItsWay(
    'MediaIngested',
    () => upload('It comes when the collection was deleted.', { collection_id: 'papers' }),
    () => deleted('papers', 1),
  )
  expect(status).toBe(200)
  const { body: shown } = await item(body.data.media_id)
  expect(shown.data?.collection).toBe('papers')
  expectStatus(await item(other.body.data.media_id), 404)
  expect(await balance()).toBe(nano(0.92))
  await deleted('papers', 1)
  expectStatus(await item(body.data.media_id), 404)
})

test('an overwrite that was to keep its place, while that is deleted, is in the default collection', async () => {
  ;({ client } = await service.openAccount(1))
  const text = 'It is overwritten while its collection is deleted.'
  const { body: before } = await upload(text, { collection_id: 'papers' })
  const { status, body } = await whileOnItsWay(
    'MediaOverwritten',
    () => upload(text, { force_overwrite: 'true' }),
    () => deleted('papers', 1),
  )
  expect([status, body.data.media_id, body.data.storage_info.collection]).toEqual([
    200,
    before.data.media_id,
    'default',
  ])
  expect((await item(body.data.media_id)).body.data?.collection).toBe('default')
  expect(await balance()).toBe(nano(0.92))
})

test('an overwrite that was to keep its place is where the item was moved to meanwhile', async () => {
  ;({ client } = await service.openAccount(1))
  const text = 'It is overwritten while it is moved, and its collection deleted.'
  const { body: before } = await upload(text, { collection_id: 'papers' })
  const other = await upload('It stays where it was.', { collection_id: 'papers' })
  const json = { items: [before.data.media_id] }
  const { status, body } = await whileOnItsWay(
    'MediaOverwritten',
    () => upload(text, { force_overwrite: 'true' }),
    async () => {
      expectStatus(await client.request('POST', '/v1/media/collections/books/items', { json }), 200)
      await deleted('papers', 1)
    },
  )
  expect(status).toBe(200)
  expect((await item(body.data.media_id)).body.data?.collection).toBe('books')
  expectStatus(await item(other.body.data.media_id), 404)
})

test('an overwrite asks no catalog that is behind where the item is', async () => {
  ;({ client } = await service.openAccount(1))
  const text = 'It was in a collection that is deleted, and a catalog that is behind shows it there.'
  const { body: before } = await upload(text, { collection_id: 'papers' })
  let shown: unknown
  const behind: Fault = async (real) => (shown ??= await real())
  const { body } = await service.faults.during('catalog.item', behind, async () => {
    await item(before.data.media_id)
    await deleted('papers', 1)
    const again = upload(text, { force_overwrite: 'true' })
    return service.faults.during(
      'catalog.item',
      (real) => real(),
      () => again,
    )
  })
  expect((await item(body.data.media_id)).body.data?.collection).toBe('default')
})

test('a job of a batch whose record is on its way while its collection is deleted is there', async () => {
  ;({ client } = await service.openAccount(1))
  await upload('It was in the collection before the batch.', { collection_id: 'papers' })
  const { results } = await whileOnItsWay(
    'MediaIngested',
    async () => {
      const files = [{ filename: 'a.txt', bytes: 'A job whose collection is deleted.' }]
      const { body } = await client.batch(files, { collection_id: 'papers' })
      return endedBatch(client, body.data.batch_id)
    },
    () => deleted('papers', 1),
  )
  expect(statusesOf(results)).toEqual(['succeeded'])
  expect((await item(results.job_results[0].media_id)).body.data?.collection).toBe('papers')
})

test('a late record that the saga could not look after is moved by the eraser, not deleted', async () => {
  ;({ client } = await service.openAccount(1))
  await upload('It was in the collection before.', { collection_id: 'papers' })
  let isRecorded = false
  const looking: Fault = (real, args) => {
    if (!isRecorded || !String(args[0]).startsWith('library-')) return real()
    isRecorded = false
    throw new EngineUnavailable('event store', 'away')
  }
  const { status, body } = await service.faults.during('eventStore.read', looking, () =>
    whileOnItsWay(
      'MediaIngested',
      () => upload('It is recorded late.', { collection_id: 'papers' }),
      async () => {
        await deleted('papers', 1)
        isRecorded = true
      },
    ),
  )
  expect([status, isRecorded]).toEqual([200, false])
  const shown = async () => (await item(body.data.media_id)).body.data?.collection
  await vi.waitFor(async () => expect(await shown()).toBe('papers'), { timeout: 30_000 })
  expect(await balance()).toBe(nano(0.92))
})

test('an item that is moved while the eraser takes it for dead stays', async () => {
  ;({ client } = await service.openAccount(1))
  await upload('It was in the collection before.', { collection_id: 'papers' })
  const [looked, answered, wentOn] = Array.from({ length: 3 }, () => Promise.withResolvers<void>())
  let looks = 0
  const looking: Fault = async (real) => {
    const pending = (await real()) as { late?: boolean }[]
    if (looks > 0 && ++looks > 2) wentOn!.resolve()
    if (looks === 0 && pending.some(({ late }) => late)) {
      looks = 1
      looked!.resolve()
      await answered!.promise
    }
    return pending
  }
  const appending: Fault = async (real, args) => {
    const types = (args[2] as { type: string }[]).map(({ type }) => type)
    if (types.includes('MediaIngested')) await deleted('papers', 1)
    if (types.includes('ItemsMoved')) await looked!.promise
    return real()
  }
  await service.faults.during('catalog.pendingErasures', looking, async () => {
    const { status, body } = await service.faults.during('eventStore.append', appending, () =>
      upload('It is moved by the request.', { collection_id: 'papers' }),
    )
    answered!.resolve()
    await wentOn!.promise
    expect(status).toBe(200)
    expect((await item(body.data.media_id)).body.data?.collection).toBe('papers')
  })
})

/** Reports the first append with an event of that type as failed, after it was done. */
const lostAnswer = (type: string): Fault => {
  let isLost = false
  return async (real, args) => {
    const answer = await real()
    const events = args[2] as { type: string }[]
    if (isLost || !events.some((event) => event.type === type)) return answer
    isLost = true
    throw new EngineUnavailable('event store', 'the answer was lost')
  }
}

test.each(['IngestClaimed', 'BalanceCharged', 'MediaIngested', 'ChargeSettled'])(
  'an upload whose append of %s is done but reported as failed keeps no money for an error',
  async (type) => {
    ;({ client } = await service.openAccount(1))
    const { status, body } = await service.faults.during('eventStore.append', lostAnswer(type), () =>
      upload(`The answer to ${type} is lost.`),
    )
    const total = (await client.request('GET', '/v1/media')).body.data.pagination.total_items
    expect([status === 200 ? 1 : 0, await balance()], JSON.stringify(body)).toEqual([
      total,
      nano(1 - 0.04 * total),
    ])
  },
)

/** Reports the first append with an event of that type as failed, and does it later. */
function late(type: string): { fault: Fault; done: Promise<unknown> } {
  const { promise, resolve } = Promise.withResolvers<unknown>()
  let isLate = false
  return {
    done: promise,
    fault(real, args) {
      const events = args[2] as { type: string }[]
      if (isLate || !events.some((event) => event.type === type)) return real()
      isLate = true
      const done = sleep(300).then(real)
      resolve(done.catch((error: unknown) => error))
      throw new EngineUnavailable('event store', 'no answer in time')
    },
  }
}

/** As many items as were paid for, and nothing that is still open. */
async function expectSound(items: number): Promise<void> {
  await vi.waitFor(
    async () => {
      const total = (await client.request('GET', '/v1/media')).body.data.pagination.total_items
      expect([total, await balance()]).toEqual([items, nano(1 - 0.04 * items)])
      const { body } = await service.operator.request('GET', `/admin/accounts/${accountId}/ledger`)
      expect([body.data.open_charges.count, body.data.proof.holds]).toEqual([0, true])
    },
    { timeout: 30_000 },
  )
}

test.each(['IngestClaimed', 'BalanceCharged', 'MediaIngested', 'RequestStarted', 'RequestCompleted'])(
  'an upload whose append of %s is reported as failed, and done later, leaves nothing behind',
  async (type) => {
    ;({ client, accountId } = await service.openAccount(1))
    const text = `The append of ${type} comes late.`
    const headers = { 'Idempotency-Key': `late-${type}` }
    const send = () => client.upload('a.txt', text, {}, headers)
    const { fault, done } = late(type)
    const first = await service.faults.during('eventStore.append', fault, send)
    await done
    await expectSound(first.status === 200 ? 1 : 0)
    expectStatus(await send(), 200)
    await expectSound(1)
  },
)

test.each(['BatchSubmitted', 'BalanceCharged', 'BatchCreated'])(
  'a batch whose append of %s is reported as failed, and done later, leaves nothing behind',
  async (type) => {
    ;({ client, accountId } = await service.openAccount(1))
    const files = [{ filename: 'a.txt', bytes: `A batch whose append of ${type} comes late.` }]
    const { fault, done } = late(type)
    const { status } = await service.faults.during('eventStore.append', fault, () => client.batch(files))
    await done
    await expectSound(status === 200 ? 1 : 0)
    if (status === 200) return
    const { body } = await client.batch(files)
    expect(statusesOf((await endedBatch(client, body.data.batch_id)).results)).toEqual(['succeeded'])
    await expectSound(1)
    // Its account can be closed: no intent is waited for.
    const { body: open } = await client.request('GET', '/v1/batches')
    expect(open.data.batches).toHaveLength(1)
  },
)

test.each([
  ['upload', (text: string, headers: Record<string, string>) => client.upload('a.txt', text, {}, headers)],
  [
    'batch',
    (text: string, headers: Record<string, string>) =>
      client.batch([{ filename: 'a.txt', bytes: text }], {}, headers),
  ],
])('a %s that is done is answered, though its key cannot be completed', async (name, send) => {
  ;({ client, accountId } = await service.openAccount(1))
  const ask = () => send(`It is done: ${name}.`, { 'Idempotency-Key': name })
  const away: Fault = (real, args) => {
    if ((args[2] as { type: string }[]).some(({ type }) => type === 'RequestCompleted'))
      throw new EngineUnavailable('event store', 'away')
    return real()
  }
  expectStatus(await service.faults.during('eventStore.append', away, ask), 200)
  await expectSound(1)
  expectStatus(await ask(), 200)
  await expectSound(1)
})

test('an upload that is recorded late, and whose release fails, is answered once its outcome is known', async () => {
  ;({ client, accountId } = await service.openAccount(1))
  const { fault, done } = late('MediaIngested')
  let isReleased = false
  const { status } = await service.faults.during(
    'eventStore.append',
    (real, args) => {
      const releases = (args[2] as { type: string }[]).some(({ type }) => type === 'IngestReleased')
      if (!releases || isReleased) return fault(real, args)
      isReleased = true
      throw new EngineUnavailable('event store', 'away')
    },
    () => client.upload('a.txt', 'It is recorded when its release has failed.'),
  )
  await done
  expect([status, isReleased]).toEqual([200, true])
  await expectSound(1)
})

test('a batch that is created late, and whose rejection fails, is answered once its outcome is known', async () => {
  ;({ client, accountId } = await service.openAccount(1))
  const { fault, done } = late('BatchCreated')
  let isRejected = false
  const status = await service.faults.during(
    'eventStore.append',
    (real, args) => {
      const types = (args[2] as { type: string }[]).map(({ type }) => type)
      if (!types.includes('BatchRejected') || isRejected) return fault(real, args)
      isRejected = true
      throw new EngineUnavailable('event store', 'away')
    },
    async () => {
      const files = [{ filename: 'a.txt', bytes: 'It is created when its rejection has failed.' }]
      const answer = await client.batch(files)
      await done
      return answer.status
    },
  )
  expect([status, isRejected]).toEqual([200, true])
  await expectSound(1)
})

test('a search whose charge is reported as failed, and done later, costs nothing', async () => {
  ;({ client, accountId } = await service.openAccount(1))
  const json = { query: 'anything', type: 'advanced' }
  const { fault, done } = late('BalanceCharged')
  const { status } = await service.faults.during('eventStore.append', fault, () =>
    client.request('POST', '/v1/search', { json }),
  )
  await done
  expect(status).toBe(503)
  await expectSound(0)
})

test.each([
  ['deletes', (id: string) => client.request('DELETE', `/v1/media/${id}`)],
  ['overwrites', () => upload(SUPERSEDED, { force_overwrite: 'true' })],
  [
    'deletes and erases',
    (id: string) =>
      client.request('DELETE', `/v1/media/${id}?receipt=true`).then(async (answer) => {
        const erasure = answer.body.data.erasure.erasure_id as string
        await vi.waitFor(async () => {
          const { body } = await client.request('GET', `/v1/erasures/${erasure}`)
          expect(body.data.status).toBe('erased')
        })
        return answer
      }),
  ],
])('an upload is answered for what it did while another request %s the item', async (_, other) => {
  ;({ client } = await service.openAccount(1))
  let superseded = false
  async function* afterOther(real: () => unknown, id: string) {
    await vi.waitFor(async () => expectStatus(await item(id), 200))
    expectStatus(await other(id), 200)
    yield* real() as AsyncIterable<unknown>
  }
  // The first answer is read from the item's stream, backwards.
  const superseding: Fault = (real, [stream, options]) => {
    const { direction } = (options ?? {}) as { direction?: string }
    if (superseded || direction !== 'backwards' || !String(stream).startsWith('media-')) return real()
    superseded = true
    return afterOther(real, String(stream).replace('media-', 'doc_'))
  }
  const { status, body } = await service.faults.during('eventStore.read', superseding, () =>
    upload(SUPERSEDED),
  )
  expect(superseded).toBe(true)
  expect([status, body.data?.file_details.word_count ?? body]).toEqual([200, 11])
})
const SUPERSEDED = 'It is deleted or overwritten before its own upload is answered.'

test('a receipt for a collection waits for an item of it that was uploaded again before the eraser came', async () => {
  ;({ client } = await service.openAccount(1))
  const text = 'It is uploaded again as soon as its collection was deleted.'
  expectStatus(await upload(text, { collection_id: 'papers' }), 200)
  const erasure = async (id: string) => (await client.request('GET', `/v1/erasures/${id}`)).body.data
  const id = await service.faults.during(
    'catalog.pendingErasures',
    () => [],
    async () => {
      const { body } = await client.request('DELETE', '/v1/media/collections/papers?receipt=true')
      const { erasure_id: id } = body.data.erasure
      expectStatus(await upload(text), 200)
      // Receipts are looked after apart from what is erased, more than once in this time.
      await sleep(2_500)
      expect((await erasure(id)).status).toBe('pending')
      return id as string
    },
  )
  await vi.waitFor(async () => expect((await erasure(id)).status).toBe('erased'), { timeout: 30_000 })
  const { receipt } = await erasure(id)
  expect(receipt.ingests).toBe(1)
  const files = await readdir(service.folder, { recursive: true })
  expect(files.filter((file) => file.includes(receipt.items[0].ingest_id))).toEqual([])
})

/** Until the work waits for it, the catalog answers what it answered while `prime` asked the same. */
async function whileCatalogLags<T>(
  prime: () => Promise<unknown>,
  change: () => Promise<unknown>,
  work: () => Promise<T>,
): Promise<T> {
  const shown = new Map<string, unknown>()
  let isBehind = true
  const lagging =
    (method: string): Fault =>
    async (real, args) => {
      const key = `${method} ${JSON.stringify(args)}`
      if (!isBehind) return real()
      if (!shown.has(key)) shown.set(key, await real())
      return shown.get(key)
    }
  let changed = 0
  const changing: Fault = (real, [position]) => {
    changed = Math.max(changed, position as number)
    return real()
  }
  const catchingUp: Fault = (real, [position]) => {
    if ((position as number) >= changed) isBehind = false
    return real()
  }
  const { faults } = service
  return faults.during('catalog.items', lagging('items'), () =>
    faults.during('catalog.item', lagging('item'), () =>
      faults.during('catalog.collection', lagging('collection'), async () => {
        await prime()
        await faults.during('projections.reached', changing, change)
        return faults.during('projections.reached', catchingUp, work)
      }),
    ),
  )
}
const remove = (id: string, query = ''): Promise<Answer> =>
  client.request('DELETE', `/v1/media/${id}${query}`)

test.each([
  ['deleted', (id: string) => remove(id)],
  ['deleted with a receipt', (id: string) => remove(id, '?receipt=true')],
  [
    'deleted among others',
    (id: string) => client.request('DELETE', '/v1/media/batch', { json: { media_ids: [id] } }),
  ],
])('an item that was overwritten a moment ago is %s', async (_, work) => {
  ;({ client } = await service.openAccount(1))
  const text = 'It is overwritten, and a catalog that is behind shows what it was.'
  const { body } = await upload(text)
  const id = body.data.media_id as string
  const answer = await whileCatalogLags(
    () => Promise.all([item(id), client.batch([{ filename: 'a.txt', bytes: text }])]),
    () => upload(text, { force_overwrite: 'true' }),
    () => work(id),
  )
  expectStatus(answer, 200)
  expectStatus(await item(id), 404)
  const { erasure } = answer.body.data
  if (erasure) {
    const read = async () => (await client.request('GET', `/v1/erasures/${erasure.erasure_id}`)).body.data
    await vi.waitFor(async () => expect((await read()).receipt?.ingests).toBe(1), { timeout: 30_000 })
  }
})

test.each([
  ['deleted', (id: string) => remove(id)],
  [
    'moved',
    (id: string) => client.request('POST', '/v1/media/collections/books/items', { json: { items: [id] } }),
  ],
  ['deleted with its collection', () => deleteCollection('papers')],
])('an item that was uploaded a moment ago is %s', async (_, work) => {
  ;({ client } = await service.openAccount(1))
  const text = 'It is uploaded, and a catalog that is behind does not show it.'
  const send = () => upload(text, { collection_id: 'papers' })
  const { body } = await send()
  const id = body.data.media_id as string
  expectStatus(await remove(id), 200)
  expectStatus(
    await whileCatalogLags(
      () => work(id),
      send,
      () => work(id),
    ),
    200,
  )
})

test('of what is not there nothing is erased, and no receipt is owed', async () => {
  ;({ client } = await service.openAccount(1))
  const { body } = await upload('It is deleted twice, the second time with a receipt.')
  const id = body.data.media_id as string
  const answer = await whileCatalogLags(
    () =>
      client.batch([{ filename: 'a.txt', bytes: 'It is deleted twice, the second time with a receipt.' }]),
    () => remove(id),
    () => remove(id, '?receipt=true'),
  )
  expectStatus(answer, 404)
})
