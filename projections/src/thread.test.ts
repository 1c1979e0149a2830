import { MessageChannel } from 'node:worker_threads'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { connectProjections, type ConnectedProjections } from './client.ts'
import { HERE } from './hosted.ts'
import { idOf } from './testing/history.ts'
import { startService, type Service } from './testing/service.ts'
import { serveProjections } from './thread.ts'

const ANN = idOf('ann')

let service: Service
let channel: MessageChannel
let projections: ConnectedProjections
beforeEach(async () => {
  service = await startService()
  channel = new MessageChannel()
  serveProjections(channel.port1, service.host)
  projections = connectProjections(channel.port2)
  await service.history.open(ANN)
})
afterEach(async () => {
  await projections.close()
  await service.close()
})

test('the main side knows positions without asking, old ones too', async () => {
  await service.reached()
  const later = connectLater()
  expect(await later.reached(await service.store.head(), { timeoutMs: 2_000 })).toBe(true)
  const { position } = await service.history.upload(ANN, 'a.txt', 'text')
  expect(await later.reached(position, { timeoutMs: 2_000 })).toBe(true)
  expect(await later.reached(position, { timeoutMs: 0 })).toBe(true)
  expect(await later.reached(position + 1, { timeoutMs: 20 })).toBe(false)

  function connectLater(): ConnectedProjections {
    const another = new MessageChannel()
    serveProjections(another.port1, service.host)
    another.port1.unref()
    another.port2.unref()
    return connectProjections(another.port2)
  }
})

test('status, rebuild with progress and flushErased work across', async () => {
  const { position } = await service.history.upload(ANN, 'a.txt', 'text')
  await projections.reached(position)
  expect(await projections.status()).toContainEqual({
    name: 'usage',
    position,
    behind: 0,
    atLeast: false,
    error: null,
    unwiped: { removals: 0, error: null },
    leader: HERE,
    isLeader: true,
  })
  const phases: string[] = []
  const [report] = await projections.rebuild('catalog', ({ phase }) => phases.push(phase))
  expect(report).toMatchObject({ identical: true, swapped: true })
  expect(phases.at(-1)).toBe('done')
  await projections.flushErased()
})

test('a failure on the other side is one here', async () => {
  await expect(projections.verify('nothing' as never, () => undefined)).rejects.toThrow('no read model')
})

test('an error keeps its words across, also one whose message no clone would carry', async () => {
  class Issues extends Error {
    override get message(): string {
      return 'amount: must be text'
    }
  }
  const another = new MessageChannel()
  const verify = () => Promise.reject(new Issues())
  serveProjections(another.port1, { ...service.host, verify, close: async () => undefined })
  const connected = connectProjections(another.port2)
  await expect(connected.verify('catalog', () => undefined)).rejects.toThrow('amount: must be text')
  await connected.close()
})

test('when the thread is gone, waiting ends and asking fails', async () => {
  const waiting = projections.reached(1_000_000)
  channel.port1.close()
  expect(await waiting).toBe(false)
  await expect(projections.status()).rejects.toThrow('not running')
})
