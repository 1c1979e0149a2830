import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createKafkaPublisher } from '@medialog/messaging'
import { deleteTopics, settingsOf } from '@medialog/messaging/testing/topics'
import type { PublishedMessage } from '@medialog/application'
import { expect, onTestFinished, test, vi } from 'vitest'
import { describeWithEngine } from '../engines.ts'
import { rowsIn } from './rows.ts'

const PAGE = new URL('../../../docs/events.md', import.meta.url)
const MODULES = new URL('../../../node_modules', import.meta.url).pathname
const LONG = { timeout: 120_000, interval: 50 }
vi.setConfig({ testTimeout: 300_000 })

describeWithEngine('kafka', 'the consumer in docs/events.md', (address) => {
  test('keeps its table as the events say, whenever it is killed', async () => {
    const settings = settingsOf(address)
    const folder = await mkdtemp(join(tmpdir(), 'medialog-consumer-'))
    const publisher = createKafkaPublisher(settings, { debug: () => undefined })
    onTestFinished(async () => {
      await publisher.close()
      await deleteTopics(settings)
      await rm(folder, { recursive: true })
    })
    const [, code] = /```js\n(.*?)```/s.exec(await readFile(PAGE, 'utf8'))!
    await writeFile(join(folder, 'items.mjs'), code!)
    await symlink(MODULES, join(folder, 'node_modules'))
    const session = await publisher.open()
    const publish = (from: number, messages: PublishedMessage[]) =>
      session.publish(messages, { position: from, stream: 'media-0', revision: from, hash: 'a' })

    // A hundred items, each replaced nine times: each counts its changes.
    for (let change = 0; change < 10; change++)
      await publish(
        change,
        Array.from({ length: 100 }, (_, item) => stored(item, change)),
      )
    for (let kill = 0; kill < 2; kill++) {
      // One that was quick may have left less than that.
      const enough = Math.min(seenIn(folder) + 100, 1_000)
      const consumer = start(folder, settings)
      await vi.waitUntil(() => seenIn(folder) >= enough, LONG)
      await consumer.kill('SIGKILL')
    }
    await publish(10, [deleted(7), deleted(1_000)])
    const consumer = start(folder, settings)
    await vi.waitUntil(() => seenIn(folder) === 1_002, LONG)
    expect(await consumer.kill('SIGINT')).toBe(0)
    const items = rowsIn(join(folder, 'items.sqlite'), 'SELECT item, bytes, changes FROM items')
    expect(items).toHaveLength(99)
    for (const { item, bytes, changes } of items) {
      expect(item).not.toBe('media-7')
      expect([bytes, changes]).toEqual([9, 10])
    }
  })
})

function start(folder: string, { brokers, prefix }: ReturnType<typeof settingsOf>) {
  const child = spawn(process.execPath, ['items.mjs'], {
    cwd: folder,
    env: { ...process.env, KAFKA_BROKERS: brokers.join(','), KAFKA_TOPIC_PREFIX: prefix },
    stdio: 'ignore',
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const exited = once(child, 'exit')
  return {
    async kill(signal: NodeJS.Signals): Promise<number | null> {
      child.kill(signal)
      await exited
      return child.exitCode
    },
  }
}

const message = (item: number, type: string, change: number, payload: object): PublishedMessage => ({
  topic: 'media',
  key: `media-${item}`,
  headers: { ce_id: `${item}/${change}`, ce_type: `medialog.${type}` },
  value: JSON.stringify(payload),
})

const stored = (item: number, change: number): PublishedMessage =>
  message(item, change === 0 ? 'MediaIngested' : 'MediaOverwritten', change, {
    accountId: 'a',
    mediaType: 'document',
    sizeBytes: change,
  })

const deleted = (item: number): PublishedMessage => message(item, 'MediaDeleted', 10, {})

const seenIn = (folder: string): number =>
  Number(rowsIn(join(folder, 'items.sqlite'), 'SELECT count(*) AS seen FROM seen')[0]?.['seen'] ?? 0)
