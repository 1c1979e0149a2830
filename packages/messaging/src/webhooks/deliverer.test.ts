import { newId } from '@medialog/application'
import { EngineUnavailable, type WebhookStore } from '@medialog/application/ports'
import type { Uuid } from '@medialog/kernel'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { deletion, newEvent, settled, upload } from '../testing/log.ts'
import { startReceiver, status, verified, type Receiver } from '../testing/receiver.ts'
import { openSending } from '../testing/webhooks.ts'

const LONG = { timeout: 30_000, interval: 10 }

let it: Awaited<ReturnType<typeof openSending>>
let receiver: Receiver
beforeEach(async () => {
  it = await openSending()
  receiver = await startReceiver()
})
afterEach(async () => {
  await it[Symbol.asyncDispose]()
  await receiver[Symbol.asyncDispose]()
})

const ids = (of = receiver) => of.received.map(({ id }) => id)
const arrived = (...expected: Uuid[]) => arrivedAt(receiver, expected)
async function arrivedAt(of: Receiver, expected: Uuid[]): Promise<void> {
  // Counted first: to say what is missing of many, a hundred times a second, holds up what is awaited.
  await vi.waitFor(() => expect(new Set(ids(of)).size).toBeGreaterThanOrEqual(expected.length), LONG)
  await vi.waitFor(() => expect([...new Set(ids(of))].toSorted()).toEqual(expected.toSorted()), LONG)
}
const settle = (...charges: string[]) => it.happen(`ledger-${it.accountId}`, ...charges.map(settled))
const stateIs = (webhookId: Uuid, state: string) =>
  vi.waitFor(async () => expect(await it.state(webhookId)).toMatchObject({ state }), LONG)
const ended = (webhookId: Uuid) =>
  vi.waitFor(
    async () =>
      expect((await it.deliveries(webhookId)).filter(({ state }) => state === 'pending')).toEqual([]),
    LONG,
  )
const at = () => Date.now()
/** The store with another way to keep what is to be sent. */
const withEnqueue = (store: WebhookStore, enqueue: WebhookStore['enqueue']): WebhookStore =>
  new Proxy(store, {
    get(target, name: keyof WebhookStore) {
      return name === 'enqueue' ? enqueue : (target[name] as (...args: unknown[]) => unknown).bind(target)
    },
  })

test('an account’s events are sent from the registration on, signed, and no other account’s', async () => {
  it.start()
  await settle('before')
  const { webhookId, secret } = await it.add(receiver.url)
  const sent = await settle('a', 'b')
  const stranger = newId()
  await it.log.append(`ledger-${stranger}`, 'no-stream', [newEvent(settled('c'), stranger)])
  const last = await settle('d')
  await arrived(...sent, ...last)
  expect(ids()).toEqual([...sent, ...last])
  const [first] = receiver.received
  expect(verified(secret, first!)).toMatchObject({
    specversion: '1.0',
    source: '/medialog',
    id: sent[0],
    type: 'medialog.ChargeSettled',
    subject: `ledger-${it.accountId}`,
    accountid: it.accountId,
    data: { chargeId: 'a', at: 1 },
  })
  expect(() => verified('whsec_bm90IHRoZSBzZWNyZXQ=', first!)).toThrow('signature')
  await ended(webhookId)
  expect(await it.deliveries(webhookId)).toHaveLength(3)
})

test('only events of the types that were asked for are sent', async () => {
  it.start()
  await it.add(receiver.url, ['MediaIngested'])
  const events = upload({ accountId: it.accountId, mediaId: newId(), filename: 'secret name.txt' })
  for (const [stream, news] of Object.entries(events))
    await it.log.append(stream as `${string}-${string}`, 'no-stream', news)
  const ingested = Object.values(events)
    .flat()
    .find(({ type }) => type === 'MediaIngested')!
  await arrived(ingested.id)
  expect(receiver.received[0]!.body).not.toContain('secret name')
})

test('after a failure the same message comes again, in its stream’s order, while other streams go on', async () => {
  it.start()
  const { webhookId } = await it.add(receiver.url)
  let failures = 3
  receiver.answers((response, { subject }) =>
    response.writeHead(subject === 'batch-a' && failures-- > 0 ? 503 : 200).end(),
  )
  const [one, two] = await it.happen(
    'batch-a',
    { type: 'BatchStarted', at: 1 },
    { type: 'BatchCompleted', at: 2 },
  )
  const others = await settle('a', 'b')
  await arrived(one!, two!, ...others)
  const ofBatch = receiver.received.filter(({ subject }) => subject === 'batch-a').map(({ id }) => id)
  expect(ofBatch).toEqual([one, one, one, one, two])
  await ended(webhookId)
  const delivery = (await it.deliveries(webhookId)).find(({ eventId }) => eventId === one)!
  expect(delivery.attempts.map((attempt) => attempt.status)).toEqual([200, 503, 503, 503])
})

test('who answers 410 is sent nothing more, until it is resumed', async () => {
  const deliverer = it.start()
  const { webhookId } = await it.add(receiver.url)
  receiver.answers(status(410))
  const [first] = await settle('a')
  await stateIs(webhookId, 'disabled')
  expect(await it.state(webhookId)).toMatchObject({ reason: 'gone' })
  const [second] = await settle('b')
  receiver.answers(status(200))
  await it.execute({ type: 'ChangeWebhook', webhookId, paused: false, at: at() })
  await arrived(first!, second!)
  await ended(webhookId)
  expect(ids()).toEqual([first, first, second])
  expect(await deliverer.status()).toMatchObject({
    delivered: 2,
    failed: 1,
    dead: 0,
    pending: 0,
    trouble: null,
  })
})

test('what does not arrive for long is given up, and where nothing does the webhook is disabled', async () => {
  const deliverer = it.start({ first: 20, giveUpAfter: 150 })
  const { webhookId } = await it.add(receiver.url)
  receiver.answers(status(500))
  const [dead] = await settle('a')
  await stateIs(webhookId, 'disabled')
  expect(await it.state(webhookId)).toMatchObject({ reason: 'failing' })
  expect(await it.deliveries(webhookId)).toMatchObject([{ eventId: dead, state: 'dead' }])
  expect(await deliverer.status()).toMatchObject({ dead: 1, delivered: 0 })
  receiver.answers(status(200))
  receiver.received.length = 0
  await it.execute({ type: 'ChangeWebhook', webhookId, paused: false, at: at() })
  await it.execute({ type: 'ResendDelivery', webhookId, eventId: dead!, at: at() })
  await arrived(dead!)
  await ended(webhookId)
  expect(await it.deliveries(webhookId)).toMatchObject([{ eventId: dead, state: 'delivered' }])
})

test('Retry-After is kept to', async () => {
  it.start()
  const { webhookId } = await it.add(receiver.url)
  receiver.answers((response) =>
    receiver.received.length === 1
      ? status(429, { 'retry-after': '1' })(response, undefined!, undefined!)
      : response.writeHead(200).end(),
  )
  await it.happen('batch-a', { type: 'BatchStarted', at: 1 })
  await vi.waitFor(
    async () => expect(await it.deliveries(webhookId)).toMatchObject([{ attempts: [{ status: 429 }] }]),
    LONG,
  )
  // Of another stream, which would not have to wait for the first.
  await settle('a')
  await vi.waitFor(() => expect(receiver.received).toHaveLength(3), LONG)
  const [refused, next] = receiver.received
  expect(next!.at - refused!.at).toBeGreaterThanOrEqual(950)
  await ended(webhookId)
})

test('while it is paused nothing is sent, and then everything', async () => {
  it.start()
  await using other = await startReceiver()
  await it.add(other.url)
  const { webhookId } = await it.add(receiver.url)
  await it.execute({ type: 'ChangeWebhook', webhookId, paused: true, at: at() })
  const sent = await settle('a', 'b', 'c')
  await arrivedAt(other, sent)
  expect(ids()).toEqual([])
  await it.execute({ type: 'ChangeWebhook', webhookId, paused: false, at: at() })
  await arrived(...sent)
  expect(ids()).toEqual(sent)
})

test('an account that is suspended is sent nothing until it is reinstated, one that is closed never', async () => {
  it.start()
  const { webhookId } = await it.add(receiver.url)
  await it.account({ type: 'SuspendAccount' })
  const sent = await settle('a')
  await it.account({ type: 'ReinstateAccount' })
  await arrived(...sent)
  await ended(webhookId)
  await it.account({ type: 'CloseAccount' })
  await vi.waitFor(async () => expect(await it.deliveries(webhookId)).toEqual([]), LONG)
  await settle('b')
  await it.stop()
  it.start()
  await settle('c')
  expect(ids()).toEqual(sent)
})

test('all after a position is sent again, with the same ids; a removed webhook is sent nothing', async () => {
  it.start()
  const { webhookId } = await it.add(receiver.url)
  const sent = await settle('a', 'b', 'c')
  await arrived(...sent)
  const first = (await it.deliveries(webhookId)).find(({ eventId }) => eventId === sent[0])!
  await ended(webhookId)
  receiver.received.length = 0
  await it.execute({ type: 'RewindWebhook', webhookId, after: first.position, at: at() })
  await arrived(sent[1]!, sent[2]!)
  await ended(webhookId)
  await it.execute({ type: 'RemoveWebhook', webhookId, at: at() })
  await vi.waitFor(async () => expect(await it.deliveries(webhookId)).toEqual([]), LONG)
  receiver.received.length = 0
  const { webhookId: next } = await it.add(receiver.url, ['ChargeSettled'])
  const later = await settle('d')
  await arrived(...later)
  await ended(next)
  expect(ids()).toEqual(later)
})

test('a test is an event that says nothing', async () => {
  it.start()
  const { webhookId, secret } = await it.add(receiver.url, ['MediaDeleted'])
  const { events } = await it.execute({ type: 'TestWebhook', webhookId, at: at() })
  await arrived(events[0]!.id)
  expect(verified(secret, receiver.received[0]!)).toMatchObject({
    type: 'medialog.WebhookTested',
    data: { webhookId: `wh_${webhookId}` },
  })
})

test('both secrets sign after a rotation, and only the new one once the old one has ended', async () => {
  it.start()
  const { webhookId, secret } = await it.add(receiver.url)
  /** What a rotation finds under way is cut off, and sent again: nothing is sent before it is taken in. */
  async function rotate(oldValidUntil: number): Promise<void> {
    const rotation = { type: 'RotateWebhookSecret', webhookId, secretId: newId(), oldValidUntil } as const
    const { events } = await it.execute({ ...rotation, at: at() })
    const last = Math.max(...events.map(({ position }) => position))
    await vi.waitFor(async () => expect(await it.position()).toBeGreaterThanOrEqual(last), LONG)
  }
  await rotate(at() + 60_000)
  await arrived(...(await settle('a')))
  const [both] = receiver.received
  expect(both!.headers['webhook-signature']!.split(' ')).toHaveLength(2)
  expect(() => verified(secret, both!)).not.toThrow()
  await ended(webhookId)
  await rotate(at() - 1)
  await settle('b')
  await vi.waitFor(() => expect(receiver.received).toHaveLength(2), LONG)
  expect(receiver.received[1]!.headers['webhook-signature']!.split(' ')).toHaveLength(1)
  expect(() => verified(secret, receiver.received[1]!)).toThrow('signature')
})

describe('what was deleted', () => {
  const item = () => {
    const mediaId = newId()
    const stream = `media-${mediaId}` as const
    const [claimed, ingested] = upload({ accountId: it.accountId, mediaId, filename: 'a' })[stream]!
    return { stream, events: [claimed!, ingested!], ingestId: ingested!.data['ingestId'] as Uuid }
  }

  test.each(['before', 'after'] as const)('is not sent again %s its bytes are erased', async (moment) => {
    it.start()
    const { webhookId } = await it.add(receiver.url)
    receiver.answers(status(503))
    const { stream, events, ingestId } = item()
    const { revision } = await it.log.append(stream, 'no-stream', events)
    await vi.waitFor(() => expect(receiver.received.length).toBeGreaterThan(0), LONG)
    await it.stop()
    const deleted = deletion(it.accountId, ingestId, 'why')
    await it.log.append(stream, revision, [deleted])
    if (moment === 'after') await it.log.truncate(stream, revision + 1)
    receiver.received.length = 0
    receiver.answers(status(200))
    it.start()
    await arrived(deleted.id)
    await ended(webhookId)
    const states = (await it.deliveries(webhookId)).map(({ eventId, state }) => [eventId, state])
    expect(states).toContainEqual([events[1]!.id, 'erased'])
    await it.execute({ type: 'ResendDelivery', webhookId, eventId: events[1]!.id, at: at() })
    await it.execute({ type: 'RewindWebhook', webhookId, after: 0, at: at() })
    await vi.waitFor(() => expect(ids().filter((id) => id === deleted.id)).toHaveLength(2), LONG)
    await ended(webhookId)
    expect(ids()).not.toContain(events[1]!.id)
  })
})

test('what was under way when it ended is sent again by the next, and what had arrived is not', async () => {
  it.start()
  const { webhookId } = await it.add(receiver.url)
  const first = await settle('a')
  await arrived(...first)
  await ended(webhookId)
  receiver.answers(() => undefined)
  const sent = await settle('b', 'c')
  await vi.waitFor(() => expect(ids()).toContain(sent[0]), LONG)
  await it.stop()
  const away = await settle('d')
  receiver.received.length = 0
  receiver.answers(status(200))
  it.start()
  await arrived(...sent, ...away)
  await ended(webhookId)
  expect(ids()).toEqual([...sent, ...away])
})

test('what a death left in the store, and not how far that was, is sent once and ends', async () => {
  // As a store does that writes the one after the other.
  const dying = (store: WebhookStore): WebhookStore =>
    withEnqueue(store, async (webhookId, events, to) => {
      const { cursor } = (await store.webhook(webhookId))!
      await store.enqueue(webhookId, events, { ...to, cursor })
      if (events.length > 0) throw new EngineUnavailable('webhooks', 'it died')
    })
  const deliverer = it.start({ adapt: dying })
  const { webhookId } = await it.add(receiver.url)
  const sent = await settle('a')
  await vi.waitFor(async () => expect((await deliverer.status()).trouble).toBe('it died'), LONG)
  await it.stop()
  expect(ids()).toEqual([])
  // The account's events come later than what waited has arrived.
  const slow = (store: WebhookStore): WebhookStore =>
    withEnqueue(store, async (...asked) => {
      await vi.waitFor(async () => expect(await store.pending(webhookId)).toEqual([]), LONG)
      return store.enqueue(...asked)
    })
  it.start({ adapt: slow })
  await arrived(...sent)
  const later = await settle('b')
  await arrived(...sent, ...later)
  await ended(webhookId)
  expect(ids()).toEqual([...sent, ...later])
})

test('no more than so many wait in the store, however long the receiver is unavailable', async () => {
  it.start({ first: 50 })
  const { webhookId } = await it.add(receiver.url)
  receiver.answers(status(500))
  const sent: Uuid[][] = []
  for (let stream = 0; stream < 13; stream++) {
    const charges = Array.from({ length: 100 }, (_, number) => settled(`${number}`))
    sent.push(await it.happen(`ledger-${stream}`, ...charges))
  }
  const kept = async () => (await it.deliveries(webhookId)).length
  await vi.waitFor(async () => expect(await kept()).toBeGreaterThanOrEqual(1_000), LONG)
  const tried = ids().length
  await vi.waitFor(() => expect(ids().length).toBeGreaterThan(tried + 3), LONG)
  expect(await kept()).toBeLessThan(1_300)
  receiver.received.length = 0
  receiver.answers(status(200))
  await arrived(...sent.flat())
  for (const ofStream of sent) expect(ids().filter((id) => ofStream.includes(id))).toEqual(ofStream)
})

test('an account whose webhooks go back over a long log keeps no other’s waiting', async () => {
  const other = newId()
  await it.openAccount(other)
  const event = newEvent(settled('of the other'), other)
  await it.log.append(`ledger-${other}`, 'no-stream', [event])
  await it.happen('ledger-a', ...Array.from({ length: 1_000 }, (_, number) => settled(`${number}`)))
  const many = await Promise.all(Array.from({ length: 8 }, () => it.add(receiver.url)))
  await using others = await startReceiver()
  const { webhookId } = await it.add(others.url, [], other)
  it.start()
  const rewind = (id: Uuid) => ({ type: 'RewindWebhook', webhookId: id, after: 0, at: at() }) as const
  for (const one of many) await it.execute(rewind(one.webhookId))
  await vi.waitFor(() => expect(receiver.received.length).toBeGreaterThan(100), LONG)
  await it.execute(rewind(webhookId), other)
  await arrivedAt(others, [event.id])
  expect(receiver.received.length, 'of 8,000').toBeLessThan(4_000)
})

test('while its own store is unavailable nothing is lost, and it reports that', async () => {
  let isAway = false
  const unlessAway = (store: WebhookStore): WebhookStore =>
    withEnqueue(store, async (...asked) => {
      if (isAway) throw new EngineUnavailable('webhooks', 'the disk is full')
      return store.enqueue(...asked)
    })
  const deliverer = it.start({ adapt: unlessAway })
  await it.add(receiver.url)
  isAway = true
  const sent = await settle('a')
  await vi.waitFor(
    async () => expect(await deliverer.status()).toMatchObject({ trouble: 'the disk is full' }),
    LONG,
  )
  isAway = false
  await arrived(...sent)
  await vi.waitFor(async () => expect(await deliverer.status()).toMatchObject({ trouble: null }), LONG)
})
