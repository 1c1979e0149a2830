import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createMemoryCoordination } from '../testing/memory-coordination.ts'
import { whileLeading } from './lead.ts'
import type { Timing } from './lease.ts'

vi.setConfig({ testTimeout: 60_000 })
const PATIENT = { timeout: 40_000, interval: 20 }
const TIMING: Timing = {
  renewEvery: 50,
  stepBackAfter: 600,
  takeOverAfter: 1_200,
  lookEvery: 30,
  giveUpAfter: 2_500,
}

let shared: ReturnType<typeof createMemoryCoordination>
let leading: string[]
let candidates: { stop(): Promise<void> }[]
beforeEach(() => {
  shared = createMemoryCoordination()
  leading = []
  candidates = []
})
afterEach(async () => {
  for (const one of candidates) await one.stop()
})

function candidate(holder: string) {
  const line = shared.connect()
  const stopping = new AbortController()
  const troubles: unknown[] = []
  const { coordination } = line
  const led = whileLeading(
    {
      coordination,
      name: 'work',
      holder,
      timing: TIMING,
      signal: stopping.signal,
      onTrouble: (error) => troubles.push(error),
    },
    async (lost) => {
      leading.push(holder)
      await new Promise((resolve) => lost.addEventListener('abort', resolve))
      leading.splice(leading.indexOf(holder), 1)
    },
  )
  const one = {
    line,
    troubles,
    async stop() {
      line.mend()
      stopping.abort()
      await led
    },
  }
  candidates.push(one)
  return one
}

const expectLeader = (holder: string) => vi.waitFor(() => expect(leading).toEqual([holder]), PATIENT)

test('one of several does the work; the next does once it stops', async () => {
  const first = candidate('first')
  await expectLeader('first')
  candidate('second')
  await first.stop()
  await expectLeader('second')
})

test('one that is cut off stops before another begins, and reports it', async () => {
  const first = candidate('first')
  await expectLeader('first')
  candidate('second')
  first.line.cut()
  await expectLeader('second')
  await vi.waitFor(() => expect(first.troubles).not.toEqual([]), PATIENT)
})
