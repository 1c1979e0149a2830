import { expect, test, vi } from 'vitest'
import type { CountedTask } from './testing/counted-task.ts'
import { Threads } from './threads.ts'

test('a thread is started ahead for another account while tasks of one wait', async () => {
  const counts = new Int32Array(new SharedArrayBuffer(8))
  const quick = { counts, holds: false }
  const threads = new Threads<CountedTask, void>({
    module: new URL('./testing/counted-task.ts', import.meta.url),
    engine: 'counting',
    task: 'count',
    pool: { minThreads: 0, maxThreads: 2, idleTimeout: 60_000 },
    mostUnderWay: 10,
    mostOfOne: 10,
    atWorkOfOne: 1,
    spare: quick,
    deadlineMs: 60_000,
  })
  const run = (task: CountedTask) => threads.run(() => ({ task }), { accountId: 'one' })
  const held = run({ counts, holds: true })
  const waiting = run(quick)
  // The second task waits for its account's first: what is counted beside that is the spare one.
  await vi.waitFor(() => expect(counts[0]).toBe(2), { timeout: 30_000 })
  Atomics.store(counts, 1, 1)
  Atomics.notify(counts, 1)
  await Promise.all([held, waiting])
  expect(counts[0]).toBe(3)
  await threads.close()
})
