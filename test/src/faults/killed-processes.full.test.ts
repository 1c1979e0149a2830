import {
  startEventStoreDbDouble,
  type EventStoreDbDouble,
} from '@medialog/event-store/testing/eventstoredb/double'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { describeProcesses } from '../engines.ts'
import { takingTurns, type Answer, type Client } from '../harness/client.ts'
import { doubleLog } from '../harness/on-eventstoredb.ts'
import { startCluster, type Cluster, type Role } from '../harness/processes.ts'
import { expectConsistent } from './consistency.ts'
import { expectBooksToBalance } from './killable.ts'
import {
  answered,
  expectBatch,
  expectListedOnce,
  expectStored,
  filesOf,
  PATIENT,
  send,
} from './sent-files.ts'

vi.setConfig({ testTimeout: 600_000, hookTimeout: 300_000 })

/** Longer than a request takes on a loaded machine, and short enough to wait for. */
const LONGEST_REQUEST_SECONDS = 20

describeProcesses('processes that are killed', () => {
  let server: EventStoreDbDouble
  let cluster: Cluster
  let at: (api: number) => Client
  let client: Client

  beforeAll(async () => {
    server = await startEventStoreDbDouble()
    cluster = await startCluster({
      log: doubleLog(server),
      processes: { projections: 2, worker: 2, api: 2, publisher: 1 },
      env: { MEDIALOG_LONGEST_REQUEST_SECONDS: String(LONGEST_REQUEST_SECONDS) },
    })
    ;({ at } = await cluster.openAccount(10))
    client = takingTurns(() => [at(0), at(1)])
  })
  afterAll(async () => {
    await cluster.remove()
    await server.stop()
  })
  afterEach(async () => {
    await expectConsistent({
      client,
      operator: cluster.operator(),
      events: cluster.events,
      kafka: cluster.kafka,
    })
    await expectBooksToBalance(client)
  })

  /** Resolves at the moment that so many more events of the type are in the log, before anybody heard of the last. */
  function logged(type: string, more = 1, holding = ''): Promise<void> {
    const { log } = server
    const count = (): number =>
      log.all.filter((event) => event.type === type && Buffer.from(event.data).includes(holding)).length
    const awaited = count() + more
    return new Promise((resolve) => {
      const look = (): void => {
        if (count() < awaited) return
        log.changes.off('grown', look)
        resolve()
      }
      log.changes.on('grown', look)
    })
  }

  /** kill -9, and another in its place. */
  async function replace(role: Role, index: number): Promise<void> {
    await cluster.processes[role][index]!.kill()
    await cluster.start(role, { at: index })
  }

  const isNoticed = (): Promise<void> =>
    vi.waitFor(async () => {
      const { body } = await client.request('GET', '/v1/status')
      expect(body.data).toMatchObject({ status: 'critical' })
    }, PATIENT)

  test('an API with work in flight: nothing of the other’s is touched, nothing is owed, and keys are free again', async () => {
    const [lost, lostBatch, kept, keptBatch] = [
      filesOf('lost', 3),
      filesOf('lost-together', 4),
      filesOf('kept', 3),
      filesOf('kept-together', 4),
    ]
    const sendBatch = (to: Client) => to.batch(lostBatch, {}, { 'idempotency-key': lostBatch[0]!.filename })
    const batches = async (): Promise<number> =>
      (await client.request('GET', '/v1/batches')).body.data.pagination.total_items
    const before = await batches()
    const json = { query: 'whales', type: 'advanced' }
    const claimed = logged('IngestClaimed')
    const doomed: Promise<Answer | null>[] = [...lost.map((file) => send(at(0), file)), sendBatch(at(0))].map(
      (request) => request.catch(() => null),
    )
    const others = [...kept.map((file) => send(at(1), file)), at(1).batch(keptBatch)]
    await claimed
    const charged = logged('BalanceCharged', 1, '"search"')
    const searched = at(0)
      .request('POST', '/v1/search', { json })
      .catch(() => null)
    await charged
    await cluster.processes.api[0]!.kill()
    expect(await searched).toBeNull()
    const answers = await Promise.all(others)
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    await Promise.all(doomed)
    await cluster.start('api', { at: 0 })
    await expectBatch(client, answers.at(-1)!, keptBatch)
    await expectStored(client, lost)
    const created = await answered(() => sendBatch(client))
    await expectBatch(client, created, lostBatch)
    expect(await batches()).toBe(before + 2)
    await expectListedOnce(client, [...lost, ...lostBatch, ...kept, ...keptBatch])
  })

  test('one of two workers: each upload and batch is done once', async () => {
    const [singles, batch] = [filesOf('single', 3), filesOf('many', 5)]
    const moment = logged('BalanceCharged', 2)
    const sent = singles.map((file) => send(client, file))
    const created = client.batch(batch)
    await moment
    await replace('worker', 1)
    await Promise.all(sent)
    await expectStored(client, singles)
    await expectBatch(client, await created, batch)
    await expectListedOnce(client, [...singles, ...batch])
  })

  test('who leads the read models, while they are written: another takes over', async () => {
    const files = filesOf('led', 6)
    const leads = await Promise.all(
      cluster.processes.projections.map(async ({ url }) =>
        /^medialog_projection_leader\{[^}]*read_model="catalog"[^}]*\} 1$/m.test(
          await (await fetch(`${url}/metrics`)).text(),
        ),
      ),
    )
    expect(leads.filter(Boolean)).toHaveLength(1)
    const ingested = logged('MediaIngested')
    const sent = files.map((file) => send(client, file))
    await ingested
    await cluster.processes.projections[leads.indexOf(true)]!.kill()
    await Promise.all(sent)
    // The one that is left, alone.
    await expectStored(client, files)
    await expectListedOnce(client, files)
    await cluster.start('projections', { at: leads.indexOf(true) })
  })

  test('the publisher while it publishes: the next one goes on where the last transaction ended', async () => {
    const [under, away] = [filesOf('told', 4), filesOf('untold', 2)]
    const ingested = logged('MediaIngested', 2)
    const sent = under.map((file) => send(client, file))
    await ingested
    await cluster.processes.publisher[0]!.kill()
    await Promise.all([...sent, ...away.map((file) => send(client, file))])
    await expectStored(client, [...under, ...away])
    await cluster.start('publisher', { at: 0 })
  })

  test.each<
    [
      kind: string,
      fault: (log: EventStoreDbDouble) => Promise<void> | void,
      over?: (log: EventStoreDbDouble) => Promise<void> | void,
    ]
  >([
    [
      'lossy',
      ({ faults }) => {
        faults.repliesToLose = 5
        faults.appendsToFail = 2
        faults.cutSubscriptions()
      },
    ],
    ['dying', (log) => log.stop(), (log) => log.start()],
  ])('no process, but the log, a %s one: all of it is done once', async (kind, fault, over) => {
    const [singles, batch] = [filesOf(kind, 3), filesOf(`${kind}-together`, 4)]
    const recorded = logged('MediaIngested')
    const created = await client.batch(batch)
    const sent = singles.map((file) => send(client, file))
    await recorded
    await fault(server)
    if (over) {
      await isNoticed()
      await over(server)
    }
    await Promise.all(sent)
    await expectStored(client, singles)
    await expectBatch(client, created, batch)
    await expectListedOnce(client, [...singles, ...batch])
  })
})
