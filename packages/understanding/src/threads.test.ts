import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Worker } from 'node:worker_threads'
import { EngineUnavailable } from '@medialog/application/ports'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { CountedTask } from './testing/counted-task.ts'
import { TaskLost, Threads } from './threads.ts'

const WAIT = { timeout: 30_000 }

let counts: Int32Array
let quick: CountedTask
let held: CountedTask
/** What happened to threads, in order. */
let events: string[]
const noticed = (thread: Worker): void => {
  events.push('started')
  thread.once('message', () => events.push('loaded'))
  thread.once('exit', () => events.push('ended'))
}
beforeEach(() => {
  counts = new Int32Array(new SharedArrayBuffer(8))
  quick = { counts, holds: false }
  held = { counts, holds: true }
  events = []
  process.on('worker', noticed)
})
afterEach(() => void process.off('worker', noticed))

function release(): void {
  Atomics.store(counts, 1, 1)
  Atomics.notify(counts, 1)
}

function start(options: { maxThreads?: number; spare?: CountedTask } = {}) {
  const { maxThreads = 1, spare } = options
  const threads = new Threads<CountedTask, void>({
    module: new URL('./testing/counted-task.ts', import.meta.url),
    name: 'counts',
    engine: 'counting',
    task: 'count',
    pool: { maxThreads },
    mostUnderWay: 10,
    mostOfOne: 10,
    atWorkOfOne: 1,
    ...(spare && { spare }),
    deadlineMs: 60_000,
  })
  const run = (task: CountedTask, signal?: AbortSignal) =>
    threads.run(() => ({ task }), { accountId: 'one', ...(signal && { signal }) })
  return { threads, run }
}

/** Begins the held task and aborts it. */
async function leaveTask(run: ReturnType<typeof start>['run']): Promise<void> {
  const leaving = new AbortController()
  const left = run(held, leaving.signal)
  await vi.waitFor(() => expect(counts[0]).toBe(1), WAIT)
  leaving.abort(new Error('gone'))
  await expect(left).rejects.toThrow('gone')
}

test('a thread is started ahead for another account while tasks of one wait', async () => {
  const { threads, run } = start({ maxThreads: 2, spare: quick })
  const holding = run(held)
  const waiting = run(quick)
  // The second task waits for its account's first: what is counted beside that is the spare one.
  await vi.waitFor(() => expect(counts[0]).toBe(2), WAIT)
  release()
  await Promise.all([holding, waiting])
  expect(counts[0]).toBe(3)
  await threads.close()
})

test('the name of a thread is published once it has loaded', async () => {
  const names: unknown[] = []
  const note = (message: unknown): void => void names.push(message)
  subscribe('medialog.thread', note)
  const { threads, run } = start()
  await run(quick)
  unsubscribe('medialog.thread', note)
  expect(names).toEqual([{ threadId: expect.any(Number), name: 'counts' }])
  await threads.close()
})

test('a task that ends soon after an abort leaves its thread to the next; the abort is answered at once', async () => {
  const { threads, run } = start()
  await leaveTask(run)
  release()
  await run(quick)
  expect(events).toEqual(['started', 'loaded'])
  await threads.close()
})

test('a task that goes on after an abort is ended, and the next has another thread', async () => {
  const { threads, run } = start()
  await leaveTask(run)
  await run(quick)
  expect(events.filter((event) => event === 'started')).toHaveLength(2)
  await threads.close()
})

test('a thread that loads its modules is ended once it has', async () => {
  const { threads, run } = start()
  const ending = Promise.allSettled([run(held)])
  await vi.waitFor(() => expect(events).toContain('started'), WAIT)
  await threads.close()
  // It says nothing about the task, which may be done elsewhere.
  const [{ reason }] = (await ending) as [PromiseRejectedResult]
  expect(reason).toBeInstanceOf(EngineUnavailable)
  expect(reason).not.toBeInstanceOf(TaskLost)
  expect(events).toEqual(['started', 'loaded', 'ended'])
})
