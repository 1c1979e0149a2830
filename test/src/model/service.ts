import { existsSync } from 'node:fs'
import { readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { monthRange } from '@medialog/application'
import { createMemoryRateLimiter, createHttpApp, startHttpServer } from '@medialog/http'
import { isoTime, type RecordedEvent } from '@medialog/kernel'
import { openSlicedSearch } from '@medialog/read-model/testing/sliced-search'
import type { Crash } from '../crashes/points.ts'
import { createWorld, type Carrier, type Instance, type World } from '../crashes/world.ts'
import { openAccount } from '../harness/accounts.ts'
import { resultsOf } from '../harness/batches.ts'
import { asAccount, asOperator, type Answer, type Client } from '../harness/client.ts'
import { expectStatus } from '../harness/expect-status.ts'
import { inOrder, type Found, type Observed } from './model.ts'

const OPERATOR_TOKEN = 'a-token-for-the-model'
const CREDIT = 100
const unlimited = { free: 1e9, standard: 1e9, enterprise: 1e9 }
/** Of an account's postings the last, until each of which the history is proven again. */
const MOMENTS = 6
const MONTH_MS = 31 * 24 * 3_600_000

/** A crash, how many months it takes until the service starts again, and whether the account's storage is broken then. */
export interface Outage extends Crash {
  months: number
  without: boolean
}

/** The service of one world behind its HTTP API: it crashes, and starts again over what its stores hold. */
export class Service {
  readonly world: World
  readonly #keys: string[] = []
  readonly #accountIds: string[] = []
  /** By account: an item's name to its id. */
  readonly ids: Map<string, string>[] = []
  /** The first one crashes where its points say, and the others with it. */
  #instances: Instance[] = []
  #servers: Awaited<ReturnType<typeof startHttpServer>>[] = []
  #requests = 0

  private constructor(world: World) {
    this.world = world
  }

  /** Processes that share its work take turns at requests. */
  static async open(carrier?: Carrier): Promise<Service> {
    const world = await createWorld(carrier)
    world.openSearch = openSlicedSearch
    const service = new Service(world)
    await service.#start()
    return service
  }

  async #start(crash: Crash | null = null): Promise<void> {
    const first = await this.world.begin(crash)
    this.#instances = [first]
    this.#servers = [await this.#listen(first)]
    while (this.#instances.length < this.world.processes) await this.#startBeside()
  }

  #listen({ application, staging }: Instance): ReturnType<typeof startHttpServer> {
    const clock = { now: () => this.world.now }
    const app = createHttpApp({
      application,
      staging,
      rateLimiter: createMemoryRateLimiter(clock),
      tierLimits: unlimited,
      followerLimits: unlimited,
      positionSecrets: ['sixteen bytes or more'],
      operatorToken: OPERATOR_TOKEN,
      logger: { info: ignore, warn: ignore, error: ignore },
      clock,
      release: { version: '0.0.0', commit: null, builtAt: null },
      environment: 'test',
      sandbox: 'none',
    })
    return startHttpServer(app, { host: '127.0.0.1', port: 0 })
  }

  async #stop(): Promise<void> {
    for (const { points } of this.#instances) points.end()
    await Promise.all(this.#servers.map((server) => server.close(0)))
    for (const instance of this.#instances.toReversed()) await instance.end()
  }

  /** Crashes now, and starts again while the storage of an account is broken: that of others is not. */
  async restartWithout(account: number): Promise<void> {
    const mend = await this.breakStorage(account)
    try {
      await this.#stop()
      await this.#start()
    } finally {
      await mend()
    }
    await this.quiet()
  }

  /** Crashes now, and starts again. */
  async restart(): Promise<void> {
    await this.#stop()
    await this.#start()
    await this.quiet()
  }

  async close(): Promise<void> {
    await this.#stop()
    await this.world.close()
  }

  async quiet(): Promise<void> {
    for (const instance of this.#instances) await instance.quiet()
  }

  client(account: number): Client {
    return asAccount(this.#url(), this.#keys[account]!)
  }

  /** Of the process whose turn it is. */
  #url(): string {
    return this.#servers[this.#requests++ % this.#servers.length]!.url
  }

  /** The answer to the one request that `ask` sends at once, or null where the process that it is sent to crashes before it answers. */
  async answered(ask: () => Promise<Answer>): Promise<Answer | null> {
    const { points } = this.#instances[this.#requests % this.#instances.length]!
    const cutOff = (error: unknown): null => {
      if (points.isCrashed) return null
      throw error
    }
    return Promise.race([ask().catch(cutOff), points.crashed.then(() => null)])
  }

  /** Work during which the last process crashes, if it gets as far as that point; it starts again once the work is done. */
  async losingOne<T>(crash: Crash, work: () => Promise<T>): Promise<T> {
    const { points } = this.#instances.at(-1)!
    const finished = Promise.withResolvers<void>()
    const ended = Promise.race([points.crashed, finished.promise]).then(() =>
      points.isCrashed ? this.#endLast() : undefined,
    )
    points.arm(crash)
    try {
      return await work()
    } finally {
      points.disarm()
      await points.settled()
      finished.resolve()
      await ended
      if (points.isCrashed) await this.#startBeside()
    }
  }

  async #endLast(): Promise<void> {
    const [instance, server] = [this.#instances.pop()!, this.#servers.pop()!]
    await server.close(0)
    await instance.end()
  }

  async #startBeside(): Promise<void> {
    const instance = await this.world.begin(null, this.#first)
    this.#servers.push(await this.#listen(instance))
    this.#instances.push(instance)
  }

  get #first(): Instance {
    return this.#instances[0]!
  }

  /**
   * The outcome of work for the account, or null where the service crashed before it. A service that crashed starts again,
   * crashes as often as there are crashes, and runs until no work is left.
   */
  async orCrashes<T>(account: number, crashes: readonly Outage[], work: () => Promise<T>): Promise<T | null> {
    const [first, ...others] = crashes
    if (first) this.#first.points.arm(first)
    const done = await this.#first.orCrashes(work())
    this.#first.points.disarm()
    // A call that was under way may be the point that it crashes after.
    if (first) await this.#first.points.settled()
    if (!this.#first.points.isCrashed) return done!.value
    this.#wait(first!.months)
    for (const crash of others) {
      await this.#stop()
      await this.#start(crash)
      if (this.#first.isAlive) await this.#first.orCrashes(this.quiet())
      this.#wait(crash.months)
    }
    await (crashes.at(-1)!.without ? this.restartWithout(account) : this.restart())
    // It may have been answered, and then crashed.
    return done && done.value
  }

  #wait(months: number): void {
    this.world.now += months * MONTH_MS
  }

  async rebuild(name: 'catalog' | 'usage' | 'history'): Promise<void> {
    await this.#first.projections.rebuild(name, ignore)
  }

  nextMonth(): void {
    this.#wait(1)
  }

  /** Sets the clock. `hours` below 0: back. */
  leap(hours: number): void {
    this.world.now += hours * 3_600_000
  }

  /** Accounts 0 and on are new ones from here on. */
  async openAccounts(count: number): Promise<void> {
    for (const known of [this.#keys, this.#accountIds, this.ids]) known.length = 0
    while (this.ids.length < count) await this.openAnother()
  }

  /** Another account, which other commands do not use. */
  async openAnother(): Promise<number> {
    const { accountId, apiKey } = await openAccount(this.#operator(), { name: 'another', credit: CREDIT })
    this.#accountIds.push(accountId)
    this.ids.push(new Map())
    return this.#keys.push(apiKey) - 1
  }

  closeAccount(account: number): Promise<Answer> {
    return this.#operator().request('DELETE', `/admin/accounts/${this.#accountIds[account]!}`)
  }

  #operator(): Client {
    return asOperator(this.#url(), OPERATOR_TOKEN)
  }

  /** The whole log. */
  async events(): Promise<RecordedEvent[]> {
    return Array.fromAsync(this.world.eventStore.readAll(0))
  }

  async upload(
    account: number,
    { name, collection, overwrite }: Sent & { name: string },
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const fields = fieldsOf({ collection, overwrite })
    return this.client(account).upload(`${name}.txt`, textOf(name), fields, headers)
  }

  /** An upload whose caller disconnects after a while, to cancel it. */
  async leave(
    account: number,
    { name, collection, overwrite }: Sent & { name: string },
    { afterMs, key }: { afterMs: number; key: string },
  ): Promise<void> {
    const form = new FormData()
    for (const [field, value] of Object.entries(fieldsOf({ collection, overwrite }))) form.set(field, value)
    form.set('file', new Blob([textOf(name)]), `${name}.txt`)
    const headers = {
      'x-api-key': this.#keys[account]!,
      'idempotency-key': key,
      'x-on-disconnect': 'cancel',
    }
    const signal = AbortSignal.timeout(afterMs)
    const sent = fetch(`${this.#url()}/v1/media`, { method: 'POST', body: form, headers, signal })
    await sent.then((answer) => answer.arrayBuffer()).catch(ignore)
    await this.quiet()
  }

  /** A batch whose jobs run on. */
  begin(
    account: number,
    { names, collection, overwrite }: Sent & { names: readonly string[] },
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const files = names.map((name) => ({ filename: `${name}.txt`, bytes: textOf(name) }))
    return this.client(account).batch(files, fieldsOf({ collection, overwrite }), headers)
  }

  /** Answered once all of its jobs have ended. `end`: whether it is cancelled as soon as it was created. */
  async batch(
    account: number,
    sent: Sent & { names: readonly string[] },
    end: 'awaited' | 'cancelled' = 'awaited',
  ): Promise<Answer> {
    const answer = await this.begin(account, sent)
    if (answer.status !== 200) return answer
    if (end === 'cancelled')
      await this.client(account).request('PUT', `/v1/batches/${answer.body.data.batch_id}/state`, {
        json: { state: 'cancelled' },
      })
    await this.quiet()
    return answer
  }

  /** Names of the files of a batch, ids of those whose names were erased, and how each job ended. */
  async outcomes(account: number, { body }: Answer): Promise<{ name: string; status: string }[]> {
    const { job_results: jobs } = await resultsOf(this.client(account), body.data.batch_id)
    return (jobs as { filename?: string; media_id: string; status: string }[]).map(
      ({ filename, media_id: id, status }) => ({
        name: filename === undefined ? id : nameOf(filename),
        status,
      }),
    )
  }

  move(account: number, names: readonly string[], collection: string): Promise<Answer> {
    const items = names.map((name) => this.#idOf(account, name))
    return this.client(account).request('POST', `/v1/media/collections/${collection}/items`, {
      json: { items },
    })
  }

  remove(account: number, name: string, receipt = false): Promise<Answer> {
    return this.client(account).request('DELETE', `/v1/media/${this.#idOf(account, name)}${asking(receipt)}`)
  }

  removeCollection(account: number, collection: string, receipt = false): Promise<Answer> {
    return this.client(account).request('DELETE', `/v1/media/collections/${collection}${asking(receipt)}`)
  }

  /** A search with connections, a question, or what is similar to an item. */
  pay(
    account: number,
    asked: { kind: 'advanced' | 'ask' } | { kind: 'similar'; name: string },
    headers: Record<string, string>,
  ): Promise<Answer> {
    const [path, json] = {
      advanced: ['/v1/search', { query: 'common', collections: 'all', type: 'advanced' }],
      ask: ['/v1/ai/query', { query: 'What is common?' }],
      similar: ['/v1/search/similar', { media_id: this.#idOf(account, 'name' in asked ? asked.name : '') }],
    }[asked.kind] as [string, object]
    return this.client(account).request('POST', path, { json, headers })
  }

  /** By name of each item the folder of what is kept of it, where nothing is under way. */
  async ingestsOf(account: number): Promise<Map<string, string>> {
    const found = new Map<string, string>()
    for (const [name, id] of this.ids[account]!) {
      const folder = join(this.#folder(account), id.slice(id.indexOf('_') + 1))
      // An eraser may remove it meanwhile.
      for (const ingest of await readdir(folder).catch(noneWhereMissing))
        found.set(name, join(folder, ingest))
    }
    return found
  }

  #folder(account: number): string {
    return join(this.world.artifacts, this.#accountIds[account]!)
  }

  /** Puts a file where the folder of what is kept of an account was; answers what takes it away again. */
  async breakStorage(account: number): Promise<() => Promise<void>> {
    const folder = this.#folder(account)
    const aside = `${folder}.aside`
    const had = existsSync(folder)
    if (had) await rename(folder, aside)
    await writeFile(folder, 'a file where a folder was')
    return async () => {
      await rm(folder)
      if (had) await rename(aside, folder)
    }
  }

  /** What the ledger, usage and statements say of an account's money. `moments`: whether the proof holds until then. */
  async ledger(account: number) {
    const read = async (path: string): Promise<Answer['body']> => {
      const answer = await this.client(account).request('GET', path)
      expectStatus(answer, 200)
      return answer.body.data
    }
    const { postings, closing_balance: closing, proof } = await read('/v1/audit/ledger?page_size=1000')
    const times: string[] = [...new Set<string>(postings.map(({ at }: { at: string }) => at))]
    const moments = new Map<string, boolean>([['now', proof.holds]])
    // Just after a posting what belongs to it may still be to come.
    for (const until of times.slice(-MOMENTS).map((at) => isoTime(Date.parse(at) + 1)))
      moments.set(until, (await read(`/v1/audit/ledger?page_size=1&until=${until}`)).proof.holds)
    const months = []
    // A clock that was ahead leaves postings in months that have not begun, until later ones correct it.
    const begun = times.filter((at) => at <= isoTime(this.world.now)).map((at) => at.slice(0, 7))
    for (const month of new Set(begun)) {
      const { costs, proof: own } = await read(`/v1/audit/statement?month=${month}`)
      const { from, until } = monthRange(month)
      const end = until < this.world.now ? `&end_time=${isoTime(until)}` : ''
      const { billing_summary: billing } = await read(`/v1/usage?start_time=${isoTime(from)}${end}`)
      const statement = Object.fromEntries(
        Object.entries<string>(costs).map(([price, amount]) => [price, Number(amount)]),
      )
      months.push({ month, usage: billing.usage_costs, statement, proven: own.holds as boolean })
    }
    return { moments, months, balance: Math.round((closing - CREDIT) * 1e9) }
  }

  /** For an item that was never there: an id that no item has. */
  #idOf(account: number, name: string): string {
    return this.ids[account]!.get(name) ?? 'doc_00000000-0000-4000-8000-000000000000'
  }

  /** What the account's lists, counts and searches show. */
  async observe(account: number): Promise<Observed> {
    const client = this.client(account)
    const ask = async (method: string, path: string, json?: object) => {
      const answer = await client.request(method, path, json && { json })
      expectStatus(answer, 200)
      return answer.body.data
    }
    const list = await ask('GET', '/v1/media?page_size=100')
    const items: Record<string, string> = {}
    for (const { id, collection, file_info: file } of list.items) {
      const name = nameOf(file.filename)
      items[name] = collection
      this.ids[account]!.set(name, id)
    }
    const { collection_details: details } = await ask('GET', '/v1/media/collections')
    const collections: Record<string, number> = {}
    for (const [collection, { item_count: count }] of Object.entries<{ item_count: number }>(details))
      collections[collection] = count
    const search = async (searched: string[] | 'all'): Promise<Found> => {
      const { results, meta } = await ask('POST', '/v1/search', {
        query: 'common',
        collections: searched,
        max_results: 100,
      })
      const names = (results as { metadata: { file_info: { filename: string } } }[]).map(({ metadata }) =>
        nameOf(metadata.file_info.filename),
      )
      return { total: meta.stats.total_results, names: inOrder(names) }
    }
    const found: Record<string, Found> = {}
    for (const collection of Object.keys(collections)) found[collection] = await search([collection])
    const { account_info: info } = await ask('GET', '/v1/usage')
    return {
      balance: Math.round((info.balance - CREDIT) * 1e9),
      items,
      total: list.pagination.total_items,
      collections,
      found,
      foundInAll: await search('all'),
    }
  }

  /** Ids of what was stored then, each with its collection where that is still told. */
  async listedAt(account: number, at: number): Promise<Map<string, string | null>> {
    const path = `/v1/media?page_size=100&as_of=${encodeURIComponent(isoTime(at))}`
    const answer = await this.client(account).request('GET', path)
    expectStatus(answer, 200)
    const { items, pagination } = answer.body.data
    const listed = new Map<string, string | null>(
      items.map(({ id, collection }: { id: string; collection?: string }) => [id, collection ?? null]),
    )
    if (listed.size !== pagination.total_items) throw new Error(`as of ${at}: ${JSON.stringify(answer.body)}`)
    return listed
  }
}

/** What is sent with a file, or with several. */
export interface Sent {
  collection: string | null
  overwrite?: boolean
}

const fieldsOf = ({ collection, overwrite = false }: Sent): Record<string, string> => ({
  ...(collection !== null && { collection_id: collection }),
  ...(overwrite && { force_overwrite: 'true' }),
})
const asking = (receipt: boolean): string => (receipt ? '?receipt=true' : '')

const nameOf = (filename: string): string => filename.replace(/\.txt$/, '')
/** `broken` at its start makes a file unreadable. */
const textOf = (name: string): string => `${name} is common.\n\nThe second part of ${name}.`
const ignore = (): void => undefined

function noneWhereMissing(error: NodeJS.ErrnoException): [] {
  if (error.code === 'ENOENT') return []
  throw error
}
