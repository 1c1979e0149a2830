import type { PublishingStatus, ReadModelStatus } from '@medialog/application'
import { expect, test } from 'vitest'
import { projectionsPart } from './projections.ts'
import { publisherPart } from './publisher.ts'

const FINE: PublishingStatus = {
  position: 7,
  behind: 0,
  trouble: null,
  stopped: false,
  events: 1,
  transactions: 1,
  failures: 0,
}
const publisher = (status: () => Promise<PublishingStatus | null>, refused: string | null = null) =>
  publisherPart({ status }, { trouble: () => refused }, null).troubles()

test('a publisher is ready once it is connected, and as long as nothing keeps it from publishing', async () => {
  expect(await publisher(async () => FINE)).toEqual([])
  expect(await publisher(async () => ({ ...FINE, position: null }))).toEqual([
    'publisher: it is being connected',
  ])
  expect(await publisher(async () => ({ ...FINE, trouble: 'no broker' }))).toEqual(['publisher: no broker'])
  expect(await publisher(async () => FINE, 'it is away')).toEqual(['event store: it is away'])
  expect(await publisher(() => Promise.reject(new Error('cut off')))).toEqual(['publisher: cut off'])
})

test('a publisher that cannot send webhooks for a reason of its own is not ready', async () => {
  const status = { delivered: 0, failed: 0, dead: 0, pending: 1, behind: 0, trouble: 'the disk is full' }
  const log = { trouble: () => null }
  const troubles = (webhooks: Parameters<typeof publisherPart>[2]) =>
    publisherPart({ status: async () => null }, log, webhooks).troubles()
  expect(await troubles({ status: async () => status })).toEqual(['webhooks: the disk is full'])
  // Another process sends.
  expect(await troubles({ status: async () => null })).toEqual([])
})

test('projections are ready while no read model stands still', async () => {
  const statuses = [{ name: 'catalog', error: null } as ReadModelStatus]
  const troubles = (status: () => Promise<ReadModelStatus[]>) => projectionsPart({ status }).troubles()
  expect(await troubles(async () => statuses)).toEqual([])
  const broken = { name: 'usage', error: 'damaged' } as ReadModelStatus
  expect(await troubles(async () => [...statuses, broken])).toEqual(['read model usage: damaged'])
  expect(await troubles(() => Promise.reject(new Error('gone')))).toEqual(['projections: gone'])
  const withTree = projectionsPart({ status: async () => statuses }, () => 'leaf/7 is not there')
  expect(await withTree.troubles()).toEqual(['leaves of the log: leaf/7 is not there'])
})
