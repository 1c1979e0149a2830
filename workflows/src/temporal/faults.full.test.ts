import { randomUUID } from 'node:crypto'
import { EngineUnavailable, UnreadableFile } from '@medialog/application'
import { understoodOf } from '@medialog/projections/testing/history'
import { describeWithEngine } from '@medialog/test/engines'
import { startProxy } from '@medialog/test/harness/proxy'
import { Client, Connection } from '@temporalio/client'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { makeSteps } from '../steps.ts'
import { untilStopped, worked } from '../testing/orchestrator-contract.ts'
import { PRICE, startWork, type Work } from '../testing/service.ts'
import { batchWorkflowId, endIngestWorkflowId, ingestWorkflowId } from './names.ts'
import { openTemporalOrchestrator } from './orchestrator.ts'

const polling = { timeout: 60_000, interval: 20 }
const TEST_MS = 180_000

describeWithEngine('temporal', 'Temporal, when something goes wrong', (address) => {
  let client: Client
  beforeAll(async () => {
    client = new Client({ connection: await Connection.connect({ address }) })
  })
  afterAll(() => client.connection.close())

  const statusOf = async (workflowId: string): Promise<string> =>
    (await client.workflow.getHandle(workflowId).describe()).status.name

  /** Opened, recovered, and drained after `run`; `at` is where it looks for the server. */
  async function withOrchestrator(
    work: Work,
    run: (orchestrator: ReturnType<typeof openTemporalOrchestrator>) => Promise<void>,
    {
      at = address,
      taskQueue = `test-${randomUUID()}`,
      ...shared
    }: { at?: string } & Partial<Parameters<typeof openTemporalOrchestrator>[1]> = {},
  ): Promise<void> {
    const options = { address: at, taskQueue, onTrouble: () => undefined, ...shared }
    const orchestrator = openTemporalOrchestrator(work.ports, options)
    try {
      await orchestrator.recover()
      await run(orchestrator)
    } finally {
      await orchestrator.drain(AbortSignal.timeout(60_000))
    }
  }

  test(
    'an upload that the server leaves half-way is given up by the log, and nothing comes of it later',
    async () => {
      const [reading, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const work = await startWork(async (text) => {
        reading.resolve()
        await gate.promise
        return understoodOf(text)
      })
      const proxy = await startProxy(address)
      await withOrchestrator(
        work,
        async (orchestrator) => {
          const job = work.upload('one')
          const refused = orchestrator.ingest(job)
          await reading.promise
          expect(await work.books()).toEqual({ net: PRICE, open: 1 })
          await proxy.cut()
          await expect(refused).rejects.toBeInstanceOf(EngineUnavailable)
          expect(await work.books()).toEqual({ net: 0n, open: 0 })
          gate.resolve()
          await proxy.mend()
          await expect.poll(() => statusOf(ingestWorkflowId(job.jobId)), polling).toBe('FAILED')
          expect(await work.books()).toEqual({ net: 0n, open: 0 })
          expect([...work.artifacts.files.keys()]).toEqual([])
        },
        { at: proxy.address },
      )
      await proxy.cut()
    },
    TEST_MS,
  )

  test(
    'an upload that was recorded when the server went away is answered as stored',
    async () => {
      const work = await startWork()
      const proxy = await startProxy(address)
      const append = work.ports.eventStore.append.bind(work.ports.eventStore)
      vi.spyOn(work.ports.eventStore, 'append').mockImplementation(async (stream, expected, events) => {
        if (events.some(({ type }) => type === 'ChargeSettled')) await proxy.cut()
        return append(stream, expected, events)
      })
      await withOrchestrator(
        work,
        async (orchestrator) => {
          const { mediaId, cost } = await orchestrator.ingest(work.upload('one'))
          expect([mediaId, cost]).toEqual([work.upload('one').mediaId, PRICE])
          expect(await work.books()).toEqual({ net: PRICE, open: 0 })
        },
        { at: proxy.address },
      )
    },
    TEST_MS,
  )

  test(
    'an uploader receives the reason at once, and is refunded once the log can be written again',
    async () => {
      const work = await startWork(() => Promise.reject(new UnreadableFile('corrupted', 'It is broken.')))
      const append = work.ports.eventStore.append.bind(work.ports.eventStore)
      let away = true
      vi.spyOn(work.ports.eventStore, 'append').mockImplementation((stream, expected, events) =>
        away && events.some(({ type }) => type === 'IngestReleased')
          ? Promise.reject(new EngineUnavailable('event store', 'Away.'))
          : append(stream, expected, events),
      )
      await withOrchestrator(work, async (orchestrator) => {
        const job = work.upload('one')
        await expect(orchestrator.ingest(job)).rejects.toBeInstanceOf(UnreadableFile)
        expect(await work.books()).toEqual({ net: PRICE, open: 1 })
        away = false
        await expect.poll(() => statusOf(endIngestWorkflowId(job.jobId)), polling).toBe('COMPLETED')
        expect(await work.books()).toEqual({ net: 0n, open: 0 })
      })
    },
    TEST_MS,
  )

  test(
    'an upload that is cancelled from outside is given up and refunded',
    async () => {
      const reading = Promise.withResolvers<void>()
      const work = await startWork((text, signal) => {
        reading.resolve()
        return untilStopped(text, signal)
      })
      await withOrchestrator(work, async (orchestrator) => {
        const job = work.upload('one')
        const refused = orchestrator.ingest(job)
        await reading.promise
        await client.workflow.getHandle(ingestWorkflowId(job.jobId)).cancel()
        await expect(refused).rejects.toMatchObject({ name: 'EngineUnavailable', engine: 'ingest' })
        expect(await work.books()).toEqual({ net: 0n, open: 0 })
      })
    },
    TEST_MS,
  )

  test(
    'a batch whose workflow is terminated from outside goes on after the next start',
    async () => {
      let stuck = true
      const reading = Promise.withResolvers<void>()
      const work = await startWork((text, signal) => {
        if (!stuck || text !== 'two') return Promise.resolve(understoodOf(text))
        reading.resolve()
        return untilStopped(text, signal)
      })
      const intent = await work.createBatch(['one', 'two'])
      const taskQueue = `test-${randomUUID()}`
      const first = async () =>
        withOrchestrator(
          work,
          async (orchestrator) => {
            orchestrator.startBatch(intent.batchId)
            await reading.promise
            await client.workflow.getHandle(batchWorkflowId(intent.batchId)).terminate()
          },
          { taskQueue },
        )
      await first()
      expect((await work.stateOf(intent)).status).toBe('running')
      stuck = false
      await withOrchestrator(
        work,
        async () => {
          expect((await worked(work, intent)).jobs).toEqual(['succeeded', 'succeeded'])
          expect(await work.books()).toEqual({ net: 2n * PRICE, open: 0 })
        },
        { taskQueue },
      )
    },
    TEST_MS,
  )

  test.each([
    ['after the next start', null],
    ['beside other processes', 1_000],
  ])(
    'what workflows of an earlier release were at goes on by the log %s',
    async (_, longestRequestMs) => {
      const work = await startWork(async (text) => understoodOf(text))
      work.ports.staging.sweep = async () => 0
      const [left, batch] = [work.upload('left'), await work.createBatch(['one', 'two'])]
      await makeSteps(work.ports).begin(left)
      const taskQueue = `test-${randomUUID()}`
      const workflows = [
        ['ingestUpload', ingestWorkflowId(left.jobId)],
        ['workOffBatch', batchWorkflowId(batch.batchId)],
      ] as const
      for (const [type, workflowId] of workflows) await client.workflow.start(type, { taskQueue, workflowId })
      await withOrchestrator(
        work,
        async () => {
          await expect.poll(async () => (await work.stateOf(batch)).status, polling).toBe('completed')
          await expect.poll(() => work.books(), polling).toEqual({ net: 2n * PRICE, open: 0 })
          const [upload] = workflows.map(([, workflowId]) => workflowId)
          await expect.poll(() => statusOf(upload!), polling).toBe('TERMINATED')
        },
        { taskQueue, longestRequestMs },
      )
    },
    TEST_MS,
  )

  test(
    'a worker takes up work without a process, and leaves alone what another process runs',
    async () => {
      const [reading, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const work = await startWork(async (text) => {
        reading.resolve()
        if (text === 'carried') await gate.promise
        return understoodOf(text)
      })
      // Where processes share it, files that are young are kept.
      work.ports.staging.sweep = async () => 0
      const steps = makeSteps(work.ports)
      const left = work.upload('left by a process that died')
      await steps.begin(left)
      const [made, young] = [await work.createBatch(['one']), await intentOf(work, 'two')]
      const taskQueue = `test-${randomUUID()}`
      // One asks for the work, the other one does it.
      const asking = { taskQueue, works: false, longestRequestMs: LONGEST_MS }
      await withOrchestrator(
        work,
        async (api) => {
          const carried = api.ingest(work.upload('carried'))
          await withOrchestrator(
            work,
            async (worker) => {
              await reading.promise
              await expect.poll(async () => (await work.stateOf(made)).status, polling).toBe('completed')
              await expect.poll(async () => (await work.books()).net, polling).toBe(3n * PRICE)
              expect((await work.stateOf(young)).status).toBe('submitted')
              expect(await worker.trouble()).toBeNull()
              await expect.poll(() => api.trouble(), polling).toBeNull()
              gate.resolve()
              expect((await carried).cost).toBe(PRICE)
              expect(await work.books()).toEqual({ net: 3n * PRICE, open: 1 })
            },
            { taskQueue, longestRequestMs: LONGEST_MS },
          )
        },
        asking,
      )
    },
    TEST_MS,
  )

  test(
    'an upload for which there is no worker is refused and refunded',
    async () => {
      const work = await startWork()
      await withOrchestrator(
        work,
        async (api) => {
          expect(await api.trouble()).toContain('no worker')
          await expect(api.ingest(work.upload('one'))).rejects.toBeInstanceOf(EngineUnavailable)
          expect(await work.books()).toEqual({ net: 0n, open: 0 })
        },
        { works: false, longestRequestMs: LONGEST_MS },
      )
    },
    TEST_MS,
  )
})

/** Longer than any of these tests. */
const LONGEST_MS = 3_600_000

/** A batch that was paid for, and that its process is still making. */
const intentOf = (work: Work, text: string) => work.createBatch([text], [], { paid: 'but not created' })
