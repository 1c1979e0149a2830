import type { ReadModelStatus } from '@medialog/application'
import { pino } from 'pino'
import { expect, test, vi } from 'vitest'
import { startWorker } from './worker.ts'

type Ports = Parameters<typeof startWorker>[0]

const waiting = (position: number, error: string | null) =>
  ({ name: 'catalog', position, behind: 7 - position, error }) as ReadModelStatus
const FOLLOWED = { name: 'work', position: 7, behind: 0, error: null } as ReadModelStatus

/** A start over a log whose end is at position 7. */
function startOf(isAlone: boolean, status: () => Promise<ReadModelStatus[]>) {
  const lines: Record<string, unknown>[] = []
  const followed = Promise.withResolvers<boolean>()
  const recover = vi.fn<() => Promise<void>>(async () => undefined)
  // Their thread died once.
  const reached = vi.fn<() => Promise<boolean>>(() => followed.promise).mockResolvedValueOnce(false)
  const ports = {
    eventStore: { head: async () => 7 },
    projections: { reached, status },
    orchestrator: { recover, trouble: async () => null },
    clock: { now: () => 0 },
    keptAnswers: { sweep: async () => 0 },
    // Nothing is to be erased.
    catalog: { pendingErasures: async () => [] },
    work: { erasures: async () => [] },
  } as unknown as Ports
  const logger = pino({ level: 'warn' }, { write: (line) => void lines.push(JSON.parse(line)) })
  return {
    lines,
    recover,
    reached,
    follow: () => followed.resolve(true),
    start: async () => {
      await using running = new AsyncDisposableStack()
      await startWorker(ports, logger, running, { isAlone, reportMs: 5 })
    },
  }
}

test('a start waits for read models as long as they take, and reports which, how far and why', async () => {
  const statuses = [
    async () => [waiting(1, 'damaged'), FOLLOWED],
    () => Promise.reject(new Error('Elasticsearch is unavailable')),
    async () => [waiting(2, null), FOLLOWED],
  ]
  const it = startOf(true, () => (statuses.shift() ?? (async () => []))())
  const started = it.start()
  await vi.waitFor(() => expect(it.reached).toHaveBeenCalledTimes(2), 10_000)
  expect(it.recover).not.toHaveBeenCalled()
  it.follow()
  await started
  expect(it.recover).toHaveBeenCalledOnce()
  expect(it.lines.slice(0, 3)).toMatchObject([
    { waitsFor: [{ name: 'catalog', behind: 6, error: 'damaged' }] },
    { err: { message: 'Elasticsearch is unavailable' } },
    { waitsFor: [{ name: 'catalog', behind: 5 }] },
  ])
})

test('one of several processes does not wait', async () => {
  const it = startOf(false, async () => [])
  await it.start()
  expect(it.recover).toHaveBeenCalledOnce()
  expect(it.reached).not.toHaveBeenCalled()
  expect(it.lines).toEqual([])
})
