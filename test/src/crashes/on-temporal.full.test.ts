import { randomUUID } from 'node:crypto'
import { openTemporalOrchestrator } from '@medialog/workflows/temporal/orchestrator'
import { Context } from '@temporalio/activity'
import { expect, test, vi } from 'vitest'
import { describeWithEngine } from '../engines.ts'
import { forever } from './points.ts'
import { SCENARIOS } from './scenarios.ts'
import { runAtEveryPoint } from './run-scenario.ts'
import type { Carrier } from './world.ts'

vi.setConfig({ testTimeout: 900_000 })

/** Ends an activity of a crashed instance when its worker stops, so that the server retries it on the next worker. */
function lost(): Promise<never> {
  try {
    return Context.current().cancelled
  } catch {
    // Not in an activity: its caller crashed too.
    return forever()
  }
}

const carriedBy = (address: string): Carrier => {
  const taskQueue = `test-${randomUUID()}`
  return {
    open: (ports) => openTemporalOrchestrator(ports, { address, taskQueue, onTrouble: () => undefined }),
    lost,
  }
}

// Each crash takes a worker with it, and a second: some points are left out, other ones each time.
describeWithEngine('temporal', 'on Temporal', (address) => {
  test.each([
    ['an upload', 4],
    ['an upload of a file that cannot be read', 6],
    ['an upload that overwrites', 9],
    ['a batch', 17],
    ['a batch that is cancelled', 17],
  ])('%s holds, crashed at some of its points', async (name, stride) => {
    const scenario = SCENARIOS.find((one) => one.name === name)!
    const from = 1 + Math.floor(Math.random() * stride)
    expect(await runAtEveryPoint(scenario, { from, stride, carrier: carriedBy(address) })).toBeGreaterThan(
      from,
    )
  })
})
