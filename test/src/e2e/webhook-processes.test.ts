import { startReceiver, status, verified, type Receiver } from '@medialog/messaging/testing/receiver'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { describeProcesses } from '../engines.ts'
import type { Client } from '../harness/client.ts'
import { startCluster, type Cluster } from '../harness/processes.ts'

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

const LONG = { timeout: 120_000, interval: 100 }

describeProcesses('webhooks of several processes', () => {
  let cluster: Cluster
  let receiver: Receiver
  let apis: [Client, Client]

  beforeAll(async () => {
    receiver = await startReceiver()
    cluster = await startCluster({
      processes: { projections: 1, worker: 1, api: 2, publisher: 1 },
      env: {
        MEDIALOG_WEBHOOK_KEY: 'a key that all of the processes have',
        MEDIALOG_WEBHOOK_HTTP: 'true',
        MEDIALOG_WEBHOOK_NETWORKS: '127.0.0.0/8',
        MEDIALOG_WEBHOOK_RETRY_SECONDS: '1',
      },
    })
    const account = await cluster.openAccount(1)
    apis = [account.at(0), account.at(1)]
  })
  afterAll(async () => {
    await cluster.remove()
    await receiver[Symbol.asyncDispose]()
  })

  test('are added at any API, sent by the publisher, and by the next one once it was killed', async () => {
    const [here, there] = apis
    const added = await here.request('POST', '/v1/webhooks', {
      json: { url: receiver.url, types: ['MediaIngested'] },
    })
    expect(added.status, JSON.stringify(added.body)).toBe(200)
    const { secret, webhook } = added.body.data
    const path = `/v1/webhooks/${webhook.webhook_id}`
    const upload = async (name: string) =>
      expect((await there.upload(name, `What ${name} says of whales.`)).status).toBe(200)
    await upload('a.txt')
    await vi.waitFor(() => expect(receiver.received).toHaveLength(1), LONG)
    expect(verified(secret, receiver.received[0]!)).toMatchObject({ type: 'medialog.MediaIngested' })

    receiver.answers(() => undefined)
    await upload('b.txt')
    await vi.waitFor(() => expect(receiver.received).toHaveLength(2), LONG)
    const held = receiver.received[1]!
    await cluster.processes.publisher[0]!.kill()
    receiver.answers(status(204))
    receiver.received.length = 0
    await upload('c.txt')
    await cluster.start('publisher', { at: 0 })
    await vi.waitFor(() => expect(receiver.received).toHaveLength(2), LONG)
    expect(receiver.received[0]!.id).toBe(held.id)

    const shown = async () => (await there.request('GET', `${path}/deliveries?status=delivered`)).body.data
    await vi.waitFor(async () => expect((await shown()).deliveries).toHaveLength(3), LONG)
    const [{ delivery_id: last }] = (await shown()).deliveries
    await here.request('POST', `${path}/deliveries/${last}/resend`)
    await vi.waitFor(() => expect(receiver.received).toHaveLength(3), LONG)
    expect(receiver.received[2]!.id).toBe(last)
    expect((await there.request('DELETE', path)).status).toBe(200)
    expect((await here.request('GET', path)).status).toBe(404)
  })
})
