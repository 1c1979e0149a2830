import { expect, test } from 'vitest'
import { readHealth } from './health.ts'

const vector = new Float32Array()

const healthWhere = (trouble: string | null) =>
  readHealth({
    eventStore: { head: async () => 7, trouble: () => trouble },
    projections: { status: async () => [{ name: 'catalog', position: 7, behind: 0, error: null }] },
    catalog: { pendingErasures: async () => [] },
    embedder: { embed: async () => [vector] },
  } as unknown as Parameters<typeof readHealth>[0])

test('a log that takes no appends is critical, although it can be read', async () => {
  expect(await healthWhere(null)).toMatchObject({ status: 'operational', problems: [] })
  expect(await healthWhere('the writer of the log died')).toMatchObject({
    status: 'critical',
    components: { storage: 'unavailable', search: 'operational' },
    problems: ['event store: the writer of the log died'],
  })
})
