import type { Leaf } from '@medialog/application/ports'
import { describeLogLeavesContract } from '@medialog/event-store/leaves/leaves-contract'
import { describeWithEngine } from '@medialog/test/engines'
import { expect, test, vi } from 'vitest'
import { testIndices } from '../testing/elasticsearch-engine.ts'
import { leavesIndexOf, openElasticsearchLeaves } from './log-leaves.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const leaf = (revision: number, stream: Leaf['stream'] = 'media-a'): Leaf => ({
  position: revision + 1,
  stream,
  revision,
  hash: 'ab'.repeat(32),
})

describeWithEngine('elasticsearch', 'in Elasticsearch', (url) => {
  describeLogLeavesContract('Elasticsearch', async () => {
    const indices = testIndices(url)
    return {
      leaves: openElasticsearchLeaves(indices),
      reopen: async () => openElasticsearchLeaves(indices),
      close: () => indices.remove(),
    }
  })

  test('a writer that another took over from changes nothing any more, whatever it still had in hand', async () => {
    const indices = testIndices(url)
    try {
      const [stalled, next, reader] = [1, 2, 3].map(() => openElasticsearchLeaves(indices))
      await stalled!.append(0, [leaf(0)], [])
      await next!.append(1, [leaf(1), leaf(2)], [])
      await expect(stalled!.append(1, [leaf(1, 'media-other')], [])).rejects.toThrow('another process')
      expect(await reader!.read(0, 10)).toMatchObject([leaf(0), leaf(1), leaf(2)])
      // It looks again, and may go on where the leaves end.
      await expect(stalled!.append(1, [leaf(1)], [])).rejects.toThrow('there are 3 leaves, not 1')
      await stalled!.append(3, [leaf(3)], [])
      expect(await reader!.size()).toBe(4)
    } finally {
      await indices.remove()
    }
  })

  test('what was written and not counted is replaced by the next writer', async () => {
    const indices = testIndices(url)
    try {
      const { client } = indices
      const leaves = openElasticsearchLeaves(indices)
      await leaves.append(0, [leaf(0)], [])
      // A writer that died before it moved the head.
      const document = { id: 'leaf/1', index: 1, ...leaf(1, 'media-other') }
      const version = { version: 1, version_type: 'external_gte' as const }
      await client.index({ index: leavesIndexOf(indices.prefix), id: 'leaf/1', ...version, document })
      expect(await leaves.read(0, 10)).toMatchObject([leaf(0)])
      expect(await leaves.ofStream('media-other')).toEqual([])
      await openElasticsearchLeaves(indices).append(1, [leaf(1)], [])
      expect(await leaves.read(0, 10)).toMatchObject([leaf(0), leaf(1)])
      expect(await leaves.ofStream('media-other')).toEqual([])
    } finally {
      await indices.remove()
    }
  })

  test('leaves whose index was deleted begin again; an index that lost some of them is refused', async () => {
    const indices = testIndices(url)
    try {
      const { client, prefix } = indices
      const leaves = openElasticsearchLeaves(indices)
      await leaves.append(0, [leaf(0), leaf(1)], [])
      await client.delete({ index: leavesIndexOf(prefix), id: 'leaf/1' })
      await expect(leaves.read(0, 10)).rejects.toThrow('leaf/1 is not there')
      await client.indices.delete({ index: leavesIndexOf(prefix) })
      expect([await leaves.size(), await leaves.read(0, 10)]).toEqual([0, []])
      await expect(leaves.append(2, [leaf(2)], [])).rejects.toThrow(/./)
      await leaves.append(0, [leaf(0)], [])
      expect(await leaves.ofStream('media-a')).toMatchObject([leaf(0)])
    } finally {
      await indices.remove()
    }
  })
})
