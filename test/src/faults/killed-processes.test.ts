import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { describeProcesses } from '../engines.ts'
import { batchWhere, endedBatch, expectWholeBatch, statusesOf } from '../harness/batches.ts'
import { takingTurns, type Answer, type Client } from '../harness/client.ts'
import { startCluster, type Cluster, type Role } from '../harness/processes.ts'
import { expectConsistent } from './consistency.ts'
import { expectBooksToBalance } from './killable.ts'

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

/** A loaded machine takes its time; what is waited for is a condition. */
const PATIENT = { timeout: 180_000, interval: 200 }
/** Longer than a request takes on a loaded machine, and short enough to wait for. */
const LONGEST_REQUEST_SECONDS = 20

interface File {
  filename: string
  bytes: string
}

const filesOf = (name: string, count: number): File[] =>
  Array.from({ length: count }, (_, n) => ({
    filename: `${name}-${n}.txt`,
    bytes: `What ${name} tells of whales, part ${n}.`,
  }))
const namesOf = (files: readonly File[]): string[] => files.map(({ filename }) => filename)

describeProcesses('processes that are killed', () => {
  let cluster: Cluster
  let at: (api: number) => Client
  let client: Client

  beforeAll(async () => {
    cluster = await startCluster({
      processes: { projections: 2, worker: 2, api: 2, publisher: 1 },
      env: { MEDIALOG_LONGEST_REQUEST_SECONDS: String(LONGEST_REQUEST_SECONDS) },
    })
    ;({ at } = await cluster.openAccount(10))
    client = takingTurns(() => [at(0), at(1)])
  })
  afterAll(() => cluster.remove())
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
    const { log } = cluster.log
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

  const send = (to: Client, { filename, bytes }: File): Promise<Answer> =>
    to.upload(filename, bytes, {}, { 'idempotency-key': filename })

  /** Whoever never heard, or was refused, asks again under the same key, until the file is stored. */
  const expectStored = (files: readonly File[]): Promise<void[]> =>
    Promise.all(
      files.map((file) =>
        vi.waitFor(async () => {
          const { status, body } = await send(client, file)
          expect(status, JSON.stringify(body)).toBe(200)
        }, PATIENT),
      ),
    )

  async function expectListedOnce(files: readonly File[]): Promise<void> {
    await vi.waitFor(async () => {
      const { status, body } = await client.request('GET', '/v1/media?page_size=100')
      expect(status).toBe(200)
      const names: string[] = body.data.items.map(
        (item: { file_info: { filename: string } }) => item.file_info.filename,
      )
      for (const name of namesOf(files)) expect(names.filter((other) => other === name)).toEqual([name])
    }, PATIENT)
  }

  async function expectCompleted({ body }: Answer, files: readonly File[]): Promise<void> {
    const ended = await endedBatch(client, body.data.batch_id)
    expectWholeBatch(ended, namesOf(files))
    expect(new Set(statusesOf(ended.results))).toEqual(new Set(['succeeded']))
  }

  test('an API with work in flight: nothing of the other’s is touched, nothing is owed, and keys are free again', async () => {
    const [lost, lostBatch, kept, keptBatch] = [
      filesOf('lost', 3),
      filesOf('lost-together', 4),
      filesOf('kept', 3),
      filesOf('kept-together', 4),
    ]
    const sendBatch = (to: Client) => to.batch(lostBatch, {}, { 'idempotency-key': 'lost-together' })
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
    await expectCompleted(answers.at(-1)!, keptBatch)
    await expectStored(lost)
    const created = await vi.waitFor(async () => {
      const answer = await sendBatch(client)
      expect(answer.status, JSON.stringify(answer.body)).toBe(200)
      return answer
    }, PATIENT)
    await expectCompleted(created, lostBatch)
    await expectListedOnce([...lost, ...lostBatch, ...kept, ...keptBatch])
  })

  test.each([['IngestClaimed'], ['BalanceCharged'], ['MediaIngested']])(
    'a worker at the moment of a %s while another lives: each upload and batch is done once',
    async (type) => {
      const [singles, batch] = [filesOf(`single-at-${type}`, 3), filesOf(`many-at-${type}`, 5)]
      const moment = logged(type, 2)
      const sent = singles.map((file) => send(client, file))
      const created = client.batch(batch)
      await moment
      await replace('worker', type === 'BalanceCharged' ? 1 : 0)
      await Promise.all(sent)
      await expectStored(singles)
      await expectCompleted(await created, batch)
      await expectListedOnce([...singles, ...batch])
    },
  )

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
    await expectStored(files)
    await expectListedOnce(files)
    await cluster.start('projections', { at: leads.indexOf(true) })
  })

  test('the publisher while it publishes: the next one goes on where the last transaction ended', async () => {
    const [under, away] = [filesOf('told', 4), filesOf('untold', 2)]
    const ingested = logged('MediaIngested', 2)
    const sent = under.map((file) => send(client, file))
    await ingested
    await cluster.processes.publisher[0]!.kill()
    await Promise.all([...sent, ...away.map((file) => send(client, file))])
    await expectStored([...under, ...away])
    await cluster.start('publisher', { at: 0 })
  })

  test('no process, but the log loses replies, fails and cuts subscriptions: all of it is done once', async () => {
    const [singles, batch] = [filesOf('cut', 3), filesOf('cut-together', 4)]
    const { body } = await client.batch(batch)
    const sent = singles.map((file) => send(client, file))
    const { faults } = cluster.log
    faults.repliesToLose = 3
    faults.appendsToFail = 2
    await batchWhere(client, body.data.batch_id, ({ progress }) => progress.successful > 0)
    faults.cutSubscriptions()
    faults.repliesToLose = 2
    await Promise.all(sent)
    await expectStored(singles)
    await expectCompleted({ body } as Answer, batch)
    await expectListedOnce([...singles, ...batch])
  })
})
