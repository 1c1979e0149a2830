import { describe, expect, test, vi } from 'vitest'
import { describeProcesses } from '../engines.ts'
import { expectConsistent } from '../faults/consistency.ts'
import { useCluster } from '../harness/suite.ts'
import { describeAi } from './suites/ai.ts'
import { describeBatches } from './suites/batches.ts'
import { describeHistory } from './suites/history.ts'
import { describeLifeOfMedia } from './suites/life-of-media.ts'
import { describeReceipts } from './suites/receipts.ts'

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

// What one process on embedded engines does, several do on shared ones: the suites are the same.
describeProcesses('processes on shared engines', () => {
  const service = useCluster({
    processes: { projections: 1, worker: 2, api: 2, publisher: 1 },
    env: { MEDIALOG_CHECKPOINT_EVENTS: '100' },
  })

  describe('the life of media', () => {
    describeLifeOfMedia(service)
  })
  describe('batches', () => {
    describeBatches(service, { uploadRaces: 2, cancelRaces: 6 })
  })
  describe('what happened', () => {
    describeHistory(service)
  })
  describe('questions and analyses', () => {
    describeAi(service)
  })
  describe('deletions', () => {
    describeReceipts(service)
  })

  test('sign checkpoints by themselves, and name what somebody does to the log of their server', async () => {
    const { log } = service.cluster.log
    const good = await service.cli('audit', 'verify')
    expect(good).toMatchObject({ code: 0, answer: { result: { intact: true, found: 0 } } })
    const recorded = log.all.filter(({ type }) => type === 'LogCheckpointed')
    const bySystem = recorded.filter(({ metadata }) => Buffer.from(metadata).includes('"actor":"system"'))
    expect(bySystem.length).toBeGreaterThan(0)
    expect(good.answer.result.checkpoints).toBe(recorded.length)

    const charge = log.all.findLast(({ type }) => type === 'BalanceCharged')!
    const { data, position, revision } = charge
    const otherwise = Buffer.from(data)
      .toString()
      .replace(/\d(?=\D*$)/, (digit) => String((Number(digit) + 1) % 10))
    log.tamper(position, { data: Buffer.from(otherwise) })
    const changed = await service.cli('audit', 'verify')
    log.tamper(position, { data })
    expect(changed).toMatchObject({
      code: 1,
      answer: { result: { intact: false, findings: [{ what: 'changed', position, revision }] } },
    })
  })

  test('have done what their log tells, and published it once', async () => {
    const { client, operator, cluster } = service
    await expectConsistent({ client, operator, events: cluster.events, kafka: cluster.kafka })
    expect(await service.staged()).toEqual([])
  })
})
