import { describe, expect, test } from 'vitest'
import { useKillable, walk } from './killable.ts'
import { batchDies, batchOf, diesAndRecovers, expectRecovery } from './killed-batch.ts'

/** More points than a batch has: the walk ends where one gets through. */
const MOST_POINTS = 90
const killable = useKillable()

describe.each([
  // Each of its three files comes by nearly the same points.
  ['that runs', false, 2],
  // And most of these are those of a batch that runs.
  ['that is cancelled', true, 3],
])('kill -9 after the awaited points of a batch %s', (kind, cancels, stride) => {
  test(
    'leaves it to go on, or as if it had never been sent',
    async () => {
      const diesAt = (n: number) => diesAndRecovers(killable, n, cancels)
      // Files staged, request, intent, charge, created, started, claims, artifacts, records, ends, refunds, …
      expect(await walk(diesAt, { most: MOST_POINTS, stride }), kind).toBeGreaterThanOrEqual(12)
    },
    90 * 60_000,
  )
})

test(
  'a second kill -9, while the first is recovered from, changes nothing',
  async () => {
    for (const again of [1, 2, 3, 5, 8, 13, 21]) {
      const name = `twice-${again}`
      const walk = { name, key: { 'idempotency-key': name }, cancels: false }
      expect(await batchDies(killable, 15, walk)).toBe(true)
      const second = await killable.doom(again, 'after', { fromStart: true }).catch(() => null)
      // It died before it was ready, or dies while the batch goes on.
      if (second) {
        await batchOf(second.client, walk).catch(() => undefined)
        await second.server.kill()
      }
      await expectRecovery(killable, walk)
    }
  },
  30 * 60_000,
)
