import { BLOCK, type Leaf, type LogLeaves, type PlacedLeaf } from '@medialog/application/ports'
import type { StreamName } from '@medialog/kernel'
import { describe, expect, test } from 'vitest'

export interface LeavesUnderTest {
  leaves: LogLeaves
  /** Closes the leaves and opens them again, as after a restart. */
  reopen: () => Promise<LogLeaves>
  close: () => Promise<void>
}

/** The leaf of that index: three streams take turns, positions skip numbers. */
const leafOf = (index: number): Leaf => ({
  position: 10 * index + 7,
  stream: `media-${index % 3}` as StreamName,
  revision: Math.floor(index / 3),
  hash: index.toString(16).padStart(64, '0'),
})
const leavesFrom = (from: number, count: number): PlacedLeaf[] =>
  Array.from({ length: count }, (_, number) => ({ index: from + number, ...leafOf(from + number) }))

const block = (number: number): Uint8Array => new Uint8Array(32).fill(number + 1)

/** What every LogLeaves must do. `factory` is called once a test, for a place without leaves. */
export function describeLogLeavesContract(name: string, factory: () => Promise<LeavesUnderTest>): void {
  const testOn = (title: string, run: (under: LeavesUnderTest) => Promise<void>) =>
    // oxlint-disable-next-line vitest/valid-title -- the caller's title
    test(title, async () => {
      const under = await factory()
      try {
        await run(under)
      } finally {
        await under.close()
      }
    })

  describe(`leaves of the log: ${name}`, () => {
    testOn('begin with nothing', async ({ leaves }) => {
      expect(await leaves.size()).toBe(0)
      expect(await leaves.read(0, 10)).toEqual([])
      expect(await leaves.blocks()).toEqual([])
      expect(await leaves.ofStream('media-0')).toEqual([])
      expect(await leaves.atPosition(7)).toBeNull()
    })

    testOn('are read as they were appended, also after a restart', async ({ leaves, reopen }) => {
      await leaves.append(0, leavesFrom(0, 5), [])
      await leaves.append(5, leavesFrom(5, 2 * BLOCK), [block(0), block(1)])
      await leaves.append(2 * BLOCK + 5, leavesFrom(2 * BLOCK + 5, BLOCK), [block(2)])
      await leaves.flush()
      const again = await reopen()
      const size = 3 * BLOCK + 5
      expect(await again.size()).toBe(size)
      expect(await again.read(0, size)).toEqual(leavesFrom(0, size))
      expect(await again.read(size - 3, 100)).toEqual(leavesFrom(size - 3, 3))
      expect(await again.read(4, 2)).toEqual(leavesFrom(4, 2))
      expect(await again.read(size, 1)).toEqual([])
      expect((await again.blocks()).map((root) => [...root])).toEqual([0, 1, 2].map((n) => [...block(n)]))
    })

    testOn('are found by stream, by revision and by position', async ({ leaves }) => {
      await leaves.append(0, leavesFrom(0, 7), [])
      const placed = (index: number) => ({ index, ...leafOf(index) })
      expect(await leaves.ofStream('media-1')).toEqual([placed(1), placed(4)])
      expect(await leaves.ofStream('media-1', 1)).toEqual([placed(4)])
      expect(await leaves.ofStream('media-1', 2)).toEqual([])
      expect(await leaves.ofStream('media-9')).toEqual([])
      expect(await leaves.atPosition(27)).toEqual(placed(2))
      expect(await leaves.atPosition(28)).toBeNull()
    })

    testOn('are taken at their end only, all or none', async ({ leaves }) => {
      await leaves.append(0, leavesFrom(0, 3), [])
      await expect(leaves.append(0, leavesFrom(0, 3), [])).rejects.toThrow('there are 3 leaves, not 0')
      await expect(leaves.append(5, leavesFrom(5, 1), [])).rejects.toThrow('there are 3 leaves, not 5')
      // One that is stored already comes after one that would be new.
      const refused = leaves.append(3, [leafOf(3), { ...leafOf(4), position: leafOf(0).position }], [])
      await expect(refused).rejects.toThrow(/./)
      expect(await leaves.read(0, 10)).toEqual(leavesFrom(0, 3))
    })

    testOn('name streams and positions whatever they are', async ({ leaves, reopen }) => {
      const odd: Leaf[] = [
        { position: 1, stream: 'media-\'; \u0000 "é\ud83d\ude00', revision: 0, hash: 'ff'.repeat(32) },
        { position: 2 ** 52, stream: 'media-x', revision: 2 ** 40, hash: '00'.repeat(32) },
      ]
      await leaves.append(0, odd, [])
      expect(await (await reopen()).read(0, 10)).toMatchObject(odd)
    })
  })
}
