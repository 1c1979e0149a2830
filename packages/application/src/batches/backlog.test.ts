import { expect, test } from 'vitest'
import type { Principal } from '../core/context.ts'
import { BacklogFull } from '../core/errors.ts'
import type { OpenBatch } from '../ports/index.ts'
import { Backlog } from './backlog.ts'

const principal = (accountId: string): Principal => ({
  accountId,
  keyId: 'key',
  capabilities: ['write'],
  tier: 'free',
  status: 'active',
})
const [ANN, BEN] = [principal('ann'), principal('ben')]
const batchOf = (batchId: string, jobs = 1, bytes = 10): OpenBatch => ({ batchId, jobs, bytes })
const done = async (): Promise<string> => 'done'

/** Two batches with 100 bytes at most, over what a read model shows. */
function backlogOf(shown: { [accountId: string]: OpenBatch[] } = {}, meanJobMs: number | null = 3_000) {
  const limits = (free: number) => ({ free, standard: 0, enterprise: 0 })
  return new Backlog({
    batches: {
      open: async (accountId: string) => shown[accountId] ?? [],
      meanJobMs: async () => meanJobMs,
    } as Partial<ConstructorParameters<typeof Backlog>[0]['batches']> as never,
    settings: { openBatches: limits(2), batchBytes: limits(100) } as never,
    orchestrator: { batchJobsAtOnce: 4 },
  })
}

test('so many batches are let in as the tier may have open, of each account', async () => {
  const backlog = backlogOf({ ann: [batchOf('a', 9), batchOf('b', 5)], ben: [batchOf('c')] })
  await expect(backlog.admit(ANN, batchOf('d'), done)).rejects.toMatchObject({
    code: 'RATE_LIMIT_EXCEEDED',
    // Five files, four at a time, three seconds each.
    retryAfterSeconds: 6,
    details: {
      open_batches: 2,
      most_batches: 2,
      staged_bytes: 20,
      most_bytes: 100,
      retry_after_seconds: 6,
    },
  })
  expect(await backlog.admit(BEN, batchOf('d'), done)).toBe('done')
})

test('their files may have so many bytes in all', async () => {
  const backlog = backlogOf({ ann: [batchOf('a', 1, 60)] })
  await expect(backlog.admit(ANN, batchOf('b', 1, 41), done)).rejects.toThrow(BacklogFull)
  expect(await backlog.admit(ANN, batchOf('b', 1, 40), done)).toBe('done')
})

test('an account with nothing open may make any batch', async () => {
  expect(await backlogOf().admit(ANN, batchOf('a', 25, 1_000_000), done)).toBe('done')
})

test('what is being made counts until the read model shows it, and once from then on', async () => {
  const shown = { ann: [] as OpenBatch[] }
  const backlog = backlogOf(shown)
  const gates = ['a', 'b'].map(() => Promise.withResolvers<string>())
  const made = gates.map(({ promise }, index) => backlog.admit(ANN, batchOf('ab'[index]!), () => promise))
  await expect(backlog.admit(ANN, batchOf('c'), done)).rejects.toThrow(BacklogFull)
  shown.ann = [batchOf('a')]
  await expect(backlog.admit(ANN, batchOf('c'), done)).rejects.toThrow(BacklogFull)
  gates[1]!.reject(new Error('not paid for'))
  await expect(made[1]).rejects.toThrow('not paid for')
  expect(await backlog.admit(ANN, batchOf('c'), done)).toBe('done')
  gates[0]!.resolve('done')
  expect(await made[0]).toBe('done')
})

test('of several that come at once for the last room, one gets it', async () => {
  const backlog = backlogOf({ ann: [batchOf('a')] }, null)
  const made = await Promise.allSettled(['b', 'c', 'd'].map((id) => backlog.admit(ANN, batchOf(id), done)))
  expect(made.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected'])
})

test('what arrives counts from its first bytes, beside what is open, until it ends; the only one may be of any size', async () => {
  const shown = { ann: [] as OpenBatch[] }
  const backlog = backlogOf(shown)
  const first = backlog.receive(ANN, 'a')
  await first.add(300)
  const second = backlog.receive(ANN, 'b')
  await expect(second.add(1)).rejects.toMatchObject({
    code: 'RATE_LIMIT_EXCEEDED',
    details: { open_batches: 1, staged_bytes: 300, most_bytes: 100 },
  })
  second.end()
  await backlog.receive(BEN, 'c').add(1)
  first.end()
  const [third, fourth] = [backlog.receive(ANN, 'd'), backlog.receive(ANN, 'e')]
  await third.add(50)
  await fourth.add(50)
  await expect(third.add(1)).rejects.toThrow(BacklogFull)
  third.end()
  await fourth.add(50)
  fourth.end()
  shown.ann = [batchOf('f')]
  const fifth = backlog.receive(ANN, 'g')
  await fifth.add(90)
  await expect(fifth.add(1)).rejects.toThrow(BacklogFull)
})

test('what is made elsewhere meanwhile is seen before much more has arrived', async () => {
  const shown = { ann: [] as OpenBatch[] }
  const arriving = backlogOf(shown).receive(ANN, 'a')
  await arriving.add(1_000)
  shown.ann = [batchOf('b')]
  await expect(arriving.add(9_000_000)).rejects.toThrow(BacklogFull)
})

test('what has arrived counts once while it is made into a batch', async () => {
  const backlog = backlogOf()
  const arrived = backlog.receive(ANN, 'a')
  await arrived.add(60)
  const made = Promise.withResolvers<string>()
  const admitted = backlog.admit(ANN, batchOf('a', 1, 60), () => made.promise)
  const next = backlog.receive(ANN, 'b')
  await next.add(40)
  made.resolve('made')
  expect(await admitted).toBe('made')
  await expect(next.add(1)).rejects.toThrow(BacklogFull)
  arrived.end()
  await next.add(60)
})
