import { expect, test } from 'vitest'
import { SYSTEM } from '../event-sourcing/executing.ts'
import type { LogLeaves, PlacedLeaf } from '../ports/index.ts'
import { leafHash } from './leaf.ts'
import { proveEvents, type ProofPorts } from './proofs.ts'

const MEDIA = '11111111-1111-4111-8111-111111111111'
const leaves: PlacedLeaf[] = Array.from({ length: 3 }, (_, index) => ({
  index,
  position: 10 + index,
  stream: `media-${MEDIA}`,
  revision: index,
  hash: String(index).repeat(64),
}))

/** A tree whose checkpoint was signed when it had `size` leaves; it has one more by now. */
const ports = (size: number): ProofPorts =>
  ({
    logTree: {
      checkpoint: async () => ({ size, note: 'note', key: 'key' }),
      leaves: {
        size: async () => size + 1,
        blocks: async () => [],
        read: async (from: number, limit: number) => leaves.slice(from, from + limit),
        ofStream: async (_, revision) =>
          leaves.slice(0, size + 1).filter((leaf) => revision === undefined || leaf.revision === revision),
        atPosition: async (position) => leaves.find((leaf) => leaf.position === position) ?? null,
      } as Partial<LogLeaves>,
    },
    eventStore: {
      async *read() {
        // Erased.
      },
    },
  }) as unknown as ProofPorts

test('of an item the events under the checkpoint are proven, and none that came after', async () => {
  const proven = await proveEvents(ports(2), SYSTEM, `doc_${MEDIA}`)
  expect(proven!.proofs.map(({ index, event }) => [index, event])).toEqual([
    [0, null],
    [1, null],
  ])
  const sibling = leafHash(leaves[1]!).toString('base64')
  expect(proven!.proofs[0]!.hashes).toEqual([sibling])
  expect(await proveEvents(ports(2), SYSTEM, '12')).toBeNull()
  expect((await proveEvents(ports(2), SYSTEM, `media-${MEDIA}@1`))!.proofs).toHaveLength(1)
})
