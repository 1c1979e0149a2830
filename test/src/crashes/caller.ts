import {
  CollectionNotFound,
  MediaItemNotFound,
  newId,
  type Principal,
  type RequestContext,
  type StagedFile,
} from '@medialog/application'
import { batchId as batchIds, sum, typedMediaId, usd, type Money, type Uuid } from '@medialog/kernel'
import type { Instance } from './world.ts'

/** What the account starts with. */
export const CREDIT = usd('10')
/** What one upload costs. */
export const ITEM = usd('0.04')
const NEVER = new AbortController().signal

export interface File {
  name: string
  text: string
}

/** A client of one account. It outlives the service, and may repeat to one instance what it sent to the one before. */
export class Caller {
  readonly #instance: Instance
  readonly #principal: Principal

  constructor(instance: Instance, accountId: Uuid) {
    this.#instance = instance
    this.#principal = {
      accountId,
      keyId: 'key',
      capabilities: ['read', 'write', 'delete'],
      tier: 'standard',
      status: 'active',
    }
  }

  get accountId(): Uuid {
    return this.#principal.accountId
  }

  #request(): RequestContext {
    return { principal: this.#principal, requestId: newId() }
  }

  #stage(text: string): Promise<StagedFile> {
    return this.#instance.staging.stage(
      (async function* () {
        yield Buffer.from(text)
      })(),
      () => Infinity,
    )
  }

  async upload(
    { name, text }: File,
    {
      key,
      overwrite = false,
      collection = null,
    }: { key?: string; overwrite?: boolean; collection?: string | null } = {},
  ): Promise<void> {
    const staged = await this.#stage(text)
    const idempotency = key === undefined ? {} : { idempotencyKey: key }
    const command = { staged, filename: name, collection, overwrite, ...idempotency }
    await this.#instance.application.ingest.upload(this.#request(), command)
  }

  /** Resolves with its id once it is made. */
  async batch(files: readonly File[], key: string): Promise<Uuid> {
    const staged = await Promise.all(
      files.map(async ({ name, text }) => ({ filename: name, staged: await this.#stage(text) })),
    )
    const command = { files: staged, collection: null, overwrite: false, name: null, idempotencyKey: key }
    return (await this.#instance.application.batches.create(this.#request(), command)).batchId
  }

  async cancel(batchId: Uuid): Promise<void> {
    await this.#instance.application.batches.cancel(this.#request(), batchIds.format(batchId))
  }

  async delete(name: string, { receipt = false }: { receipt?: boolean } = {}): Promise<void> {
    const id = await this.#idOf(name)
    if (id !== null)
      await this.#instance.application.library.delete(this.#request(), { id, receipt }).catch(unlessGone)
  }

  async move(name: string, collection: string): Promise<void> {
    const id = await this.#idOf(name)
    await this.#instance.application.library.move(this.#request(), { collection, ids: [id!] })
  }

  async deleteCollection(collection: string): Promise<void> {
    await this.#instance.application.library
      .deleteCollection(this.#request(), { collection, receipt: false })
      .catch(unlessGone)
  }

  async ask(key: string): Promise<void> {
    const [item] = await this.items()
    const question = {
      query: 'How deep is it?',
      mediaId: `vec-${item!.mediaId}`,
      systemPrompt: null,
      context: null,
      temperature: 0,
      maxTokens: 100,
      idempotencyKey: key,
    }
    await this.#instance.application.ask.ask(this.#request(), question)
  }

  async analyze(text: string, key: string): Promise<void> {
    const staged = await this.#stage(text)
    const question = {
      staged,
      filename: 'analyzed.txt',
      query: 'How heavy is it?',
      systemPrompt: null,
      responseFormat: 'text',
      mediaType: null,
      idempotencyKey: key,
    } as const
    await this.#instance.application.ask.analyzeFile(this.#request(), question)
  }

  async searchTwoLevels(key: string): Promise<void> {
    const search = {
      text: 'moon',
      collections: 'all',
      lexicalWeight: 0,
      minScore: 0,
      maxResults: 10,
      filters: {},
      contextDepth: 2,
      expansionFactor: 1,
      idempotencyKey: key,
    } as unknown as Parameters<Instance['application']['search']['advanced']>[1]
    await this.#instance.application.search.advanced(this.#request(), search)
  }

  async credit(amount: string, reference: string): Promise<void> {
    const command = { accountId: this.accountId, amount: usd(amount), reference }
    await this.#instance.application.accounts.credit({ requestId: newId() }, command)
  }

  async close(): Promise<void> {
    await this.#instance.application.accounts.close({ requestId: newId() }, this.accountId)
  }

  async addWebhook(): Promise<void> {
    const target = { url: 'https://receiver.example/', types: [] }
    await this.#instance.application.webhooks.add(this.#request(), target)
  }

  /** Embeds all items of all accounts by the embedder of the moment. */
  async migrate(): Promise<void> {
    const { operations } = this.#instance.application
    const { operationId } = await operations.start({ kind: 'embeddings-migrate' })
    for await (const { status, error } of operations.watch(operationId, NEVER))
      if (status === 'failed') throw new Error(`the migration failed: ${error}`)
  }

  async items() {
    return (await this.#instance.catalog.list(this.accountId, {}, { offset: 0, limit: 100 })).items
  }

  /** The account's totals in its ledger, and how many charges are neither settled nor refunded. */
  async books(): Promise<{ spent: Money; credited: Money; open: number; balance: Money }> {
    const { selected } = await this.#instance.streams.load('ledger', this.accountId, (ledger) => ({
      spent: ledger.totals.charged - ledger.totals.refunded,
      credited: ledger.totals.credited,
      open: [...ledger.charges.values()].filter(({ open }) => open).length,
      balance: ledger.balance,
    }))
    return selected
  }

  /** What the account's read model says that it spent. */
  async billed(): Promise<Money> {
    const { costs } = await this.#instance.application.billing.usage(this.#request(), {
      from: 0,
      to: Number.MAX_SAFE_INTEGER,
      groupBy: 'month',
      detailed: false,
    })
    return sum([...costs.values()])
  }

  async #idOf(name: string): Promise<string | null> {
    const item = (await this.items()).find(({ filename }) => filename === name)
    return item ? typedMediaId(item.mediaType, item.mediaId) : null
  }
}

export async function openCaller(instance: Instance): Promise<Caller> {
  const { account } = await instance.application.accounts.open(
    { requestId: newId() },
    { name: 'Ann', tier: 'standard', credit: CREDIT },
  )
  return new Caller(instance, account.accountId)
}

/** The instance before may have done it. */
function unlessGone(error: unknown): void {
  if (!(error instanceof MediaItemNotFound || error instanceof CollectionNotFound)) throw error
}
