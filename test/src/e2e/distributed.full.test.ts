import { describe, expect, test, vi } from 'vitest'
import { describeProcesses } from '../engines.ts'
import { expectConsistent } from '../faults/consistency.ts'
import { operated } from '../harness/operations.ts'
import { useCluster } from '../harness/suite.ts'
import { describeAi } from './suites/ai.ts'
import { describeBatches } from './suites/batches.ts'
import { describeHistory } from './suites/history.ts'
import { describeListingThen } from './suites/listing-then.ts'
import { describeLifeOfMedia } from './suites/life-of-media.ts'
import { describeReceipts } from './suites/receipts.ts'

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

/** As few as may be. */
const CHECKPOINT_EVENTS = 100

// What one process on embedded engines does, several do on shared ones: the suites are the same.
describeProcesses('processes on shared engines', () => {
  const service = useCluster({
    processes: { projections: 1, worker: 2, api: 2, publisher: 1 },
    env: { MEDIALOG_CHECKPOINT_EVENTS: String(CHECKPOINT_EVENTS) },
  })

  describe('the life of media', () => {
    describeLifeOfMedia(service)
  })
  describe('batches', () => {
    describeBatches(service, { uploadRaces: 2, cancelRaces: 6 })
  })
  describe('what happened', () => {
    describeHistory(service)
    describeListingThen(service)
  })
  describe('questions and analyses', () => {
    describeAi(service)
  })
  describe('deletions', () => {
    describeReceipts(service)
  })

  test('sign checkpoints by themselves, and name what somebody does to the log of their server', async () => {
    const { log } = service.cluster.log
    const path = `/admin/accounts/${(await service.openAccount(1)).accountId}/credits`
    const credit = (n: number) =>
      service.operator.request('POST', path, { json: { amount: 0.01, reference: `credit-${n}` } })
    await Promise.all(Array.from({ length: CHECKPOINT_EVENTS }, (_, n) => credit(n)))
    const recorded = () => log.all.filter(({ type }) => type === 'LogCheckpointed')
    const isBySystem = ({ metadata }: { metadata: Uint8Array }) =>
      Buffer.from(metadata).includes('"actor":"system"')
    await vi.waitFor(() => expect(recorded().some(isBySystem)).toBe(true), { timeout: 60_000, interval: 100 })
    const verify = () => operated(service.operator, { kind: 'audit-verify' })
    const { result: good } = await verify()
    expect(good).toMatchObject({ intact: true, found: 0, checkpoints: recorded().length })

    const { data, position, revision } = log.all.findLast(({ type }) => type === 'BalanceCredited')!
    const otherwise = Buffer.from(data)
      .toString()
      .replace(/\d(?=\D*$)/, (digit) => String((Number(digit) + 1) % 10))
    log.tamper(position, { data: Buffer.from(otherwise) })
    const { result: changed } = await verify()
    log.tamper(position, { data })
    expect(changed).toMatchObject({ intact: false, findings: [{ what: 'changed', position, revision }] })
  })

  test('have done what their log tells, and published it once', async () => {
    const { client, operator, cluster } = service
    await expectConsistent({ client, operator, events: cluster.events, kafka: cluster.kafka })
    expect(await service.staged()).toEqual([])
  })
})
