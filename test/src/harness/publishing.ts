import type { KafkaSettings } from '@medialog/messaging/kafka/settings'
import { expect, onTestFinished, vi } from 'vitest'
import { asAccount, type Client } from './client.ts'
import { startServer, type RunningServer } from './server.ts'

export const LONG = { timeout: 120_000, interval: 100 }

/** Stops with the test. */
export async function startPublishing(dataFolder: string, kafka: Pick<KafkaSettings, 'brokers' | 'prefix'>) {
  const env = { KAFKA_BROKERS: kafka.brokers.join(','), KAFKA_TOPIC_PREFIX: kafka.prefix }
  const server = await startServer({ dataFolder, env })
  onTestFinished(() => server.kill())
  return { server, client: asAccount(server.url, server.apiKey!) }
}

export const upload = async (client: Client, filename: string): Promise<string> => {
  const { status, body } = await client.upload(filename, `What ${filename} says of the sea.`)
  expect(status).toBe(200)
  return body.data.media_id
}

export const publisherIs = (client: Client, state: string) =>
  vi.waitFor(async () => {
    const { status, body } = await client.request('GET', '/v1/status')
    expect(status).toBe(200)
    expect(body.data.components).toMatchObject({
      api: 'operational',
      storage: 'operational',
      publisher: state,
    })
    expect(body.data.status).toBe(state)
  }, LONG)

/** The values of the service's own metrics of publishing, without their prefix. */
export async function publishingMetrics({
  url,
  operatorToken,
}: RunningServer): Promise<{ [name: string]: number }> {
  const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${operatorToken}` } })
  const lines = (await response.text()).matchAll(/^medialog_(publish\w+) (\S+)$/gm)
  return Object.fromEntries(Array.from(lines, ([, name, value]) => [name!, Number(value)]))
}
