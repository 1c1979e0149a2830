import { expect, test, vi } from 'vitest'
import { describeWithEngine } from '../engines.ts'
import { carriedBy } from './on-temporal.ts'
import { SCENARIOS } from './scenarios.ts'
import { runAtEveryPoint } from './run-scenario.ts'

vi.setConfig({ testTimeout: 900_000 })

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
