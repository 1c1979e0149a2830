import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createMemoryCoordination } from '../testing/memory-coordination.ts'
import { hearOthers, tellOthers, type Condition } from './telling.ts'

vi.setConfig({ testTimeout: 60_000 })
const PATIENT = { timeout: 40_000, interval: 20 }

let shared: ReturnType<typeof createMemoryCoordination>
let opened: AsyncDisposableStack
beforeEach(() => {
  shared = createMemoryCoordination()
  opened = new AsyncDisposableStack()
})
afterEach(() => opened.disposeAsync())

function teller(condition: Omit<Condition, 'id'>) {
  const line = shared.connect()
  const { coordination } = line
  const conditions = async () => [{ ...condition, id: 'main' }]
  const telling = tellOthers({ coordination, conditions, tellEvery: 20 })
  opened.defer(async () => {
    line.mend()
    await telling.close()
  })
  return { ...line, telling, condition }
}

function hearer(unheardAfter = 30_000) {
  const line = shared.connect()
  const hearing = hearOthers({ coordination: line.coordination, lookEvery: 20, unheardAfter })
  opened.defer(() => hearing.close())
  const expectHeard = (expected: ReturnType<typeof hearing.troubles>) =>
    vi.waitFor(() => expect(hearing.troubles()).toEqual(expected), PATIENT)
  return { ...line, expectHeard }
}

test('others hear how it is, each time that it changes', async () => {
  const { expectHeard } = hearer()
  const publisher = teller({ part: 'publisher', trouble: null })
  teller({ part: 'webhooks', trouble: 'no index' })
  await expectHeard({ publisher: null, webhooks: 'no index' })
  publisher.condition.trouble = 'no broker'
  await expectHeard({ publisher: 'no broker', webhooks: 'no index' })
})

test('one that stopped in order is not missed; one that died is, until another takes its place', async () => {
  const { expectHeard } = hearer(1_000)
  const first = teller({ part: 'publisher', trouble: null })
  await expectHeard({ publisher: null })
  await first.telling.close()
  await expectHeard({})
  const second = teller({ part: 'publisher', trouble: null })
  await expectHeard({ publisher: null })
  second.cut()
  await expectHeard({
    publisher: expect.stringMatching(/^the process that did it, .+, was not heard of for/),
  })
  teller({ part: 'publisher', trouble: null })
  await expectHeard({ publisher: null })
})

test('reports nothing about other processes while coordination is unavailable', async () => {
  const { expectHeard, cut, mend } = hearer()
  teller({ part: 'publisher', trouble: 'no broker' })
  await expectHeard({ publisher: 'no broker' })
  cut()
  await expectHeard({})
  mend()
  await expectHeard({ publisher: 'no broker' })
})
