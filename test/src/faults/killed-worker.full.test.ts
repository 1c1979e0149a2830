import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { describeProcesses } from '../engines.ts'
import type { Answer, Client } from '../harness/client.ts'
import { startCluster, type Cluster } from '../harness/processes.ts'
import { expectConsistent } from './consistency.ts'
import { KILLABLE_ENTRY, expectBooksToBalance } from './killable.ts'
import type { KillPlan } from './kill-plan.ts'
import { MIXED_ENDS, mixedFiles } from './killed-batch.ts'
import {
  answered,
  expectBatch,
  expectListedOnce,
  expectStored,
  filesOf,
  send,
  type File,
} from './sent-files.ts'

vi.setConfig({ testTimeout: 900_000, hookTimeout: 300_000 })

/** Longer than a request takes on a loaded machine, and short enough to wait for. */
const LONGEST_REQUEST_SECONDS = 20
const GONE_WITHIN_MS = 180_000

/** What a worker has just done when it is killed, in the order of the steps, by what has to be sent for that. */
const STEPS = {
  upload: ['IngestClaimed', 'understand', 'MediaIngested'],
  'broken upload': ['IngestReleased'],
  batch: ['BatchStarted', 'JobFailed'],
} as const

describeProcesses('the only worker', () => {
  let cluster: Cluster
  let client: Client
  beforeEach(async () => {
    cluster = await startCluster({
      processes: { projections: 1, api: 1 },
      env: { MEDIALOG_LONGEST_REQUEST_SECONDS: String(LONGEST_REQUEST_SECONDS) },
    })
    const { at } = await cluster.openAccount(10)
    client = at(0)
  })
  afterEach(() => cluster.remove())

  /** A worker that dies once it has done that, if not of work that was left then of what is sent now. */
  async function diesAt(step: string, sendWork: () => void): Promise<void> {
    const plan: KillPlan = { at: 1, when: 'after', of: step }
    const env = { KILL_PLAN: JSON.stringify(plan) }
    const started = cluster.start('worker', { at: 0, env, entry: KILLABLE_ENTRY })
    const worker = await started.catch((error: Error) => {
      expect(error.message).toContain('ended before it was ready (SIGKILL)')
      return null
    })
    if (!worker) return
    sendWork()
    const late = sleep(GONE_WITHIN_MS, false, { ref: false })
    expect(await Promise.race([worker.exited.then(() => true), late]), step).toBe(true)
  }

  test('killed after a step and started again: what was sent is done once, or given up and refunded', async () => {
    const whole: File[] = []
    const broken: File[] = []
    const batches: { files: File[]; ask: () => Promise<Answer> }[] = []
    const ask = (what: () => Promise<unknown>): void => void what().catch(() => undefined)
    const sendWork = {
      upload(step: string) {
        const files = filesOf(`killed-at-${step}`, 1)
        whole.push(...files)
        ask(() => send(client, files[0]!))
      },
      'broken upload'(step: string) {
        const file = { filename: `broken-at-${step}.pdf`, bytes: `%PDF-1.7 broken at ${step}` }
        broken.push(file)
        ask(() => send(client, file))
      },
      batch(step: string) {
        const name = `batch-at-${step}`
        const files = mixedFiles(name)
        const again = (): Promise<Answer> => client.batch(files, {}, { 'idempotency-key': name })
        batches.push({ files, ask: again })
        ask(again)
      },
    }
    for (const [work, steps] of Object.entries(STEPS))
      for (const step of steps) await diesAt(step, () => sendWork[work as keyof typeof STEPS](step))
    await cluster.start('worker', { at: 0 })
    await expectStored(client, whole)
    await Promise.all(broken.map((file) => answered(() => send(client, file), 400)))
    for (const { files, ask: again } of batches)
      await expectBatch(client, await answered(again), files, MIXED_ENDS)
    await expectListedOnce(client, [...whole, ...batches.map(({ files }) => files[0]!)])
    await expectConsistent({
      client,
      operator: cluster.operator(),
      events: cluster.events,
      kafka: cluster.kafka,
    })
    await expectBooksToBalance(client)
    await vi.waitFor(async () => expect(await cluster.staged()).toEqual([]), { timeout: 60_000 })
  })
})
