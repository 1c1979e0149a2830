import { randomUUID } from 'node:crypto'
import { openTemporalOrchestrator } from '@medialog/workflows/temporal/orchestrator'
import { Context } from '@temporalio/activity'
import { expect, test, vi } from 'vitest'
import { describeWithEngine } from '../engines.ts'
import { forever } from './points.ts'
import { STORIES } from './stories.ts'
import { tellAll } from './telling.ts'
import type { Carrier } from './world.ts'

vi.setConfig({ testTimeout: 900_000 })

/** More points than any story has. */
const MOST_POINTS = 500

/** An activity of a dead life ends once its worker stops, as one does for the server whose worker was killed. */
function lost(): Promise<never> {
  try {
    return Context.current().cancelled
  } catch {
    // Not in an activity: whoever waits is gone as well.
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

// Each crash takes a worker with it, and a second: of the many points of batches some are left out.
describeWithEngine('temporal', 'on Temporal', (address) => {
  test.each([
    ['an upload', 2],
    ['an upload of a file that cannot be read', 3],
    ['an upload that overwrites', 5],
    ['a batch', 9],
    ['a batch that is cancelled', 9],
  ])('%s holds, after whichever point the service dies', async (name, stride) => {
    const story = STORIES.find((one) => one.name === name)!
    let at = 1 - stride
    await tellAll((died) => {
      if (at > 0 && died === 0) return null
      expect((at += stride)).toBeLessThan(MOST_POINTS)
      return { story, deaths: [{ at, when: 'after' }] }
    }, carriedBy(address))
    expect(at).toBeGreaterThan(1)
  })
})
