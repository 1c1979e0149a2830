import { readFile } from 'node:fs/promises'
import { openApiDocument, type OperationId } from '@medialog/contract/http'
import type { Capability, Tier } from '@medialog/domain'
import { readConfig, startService, type Engines } from '@medialog/server'
import { expect } from 'vitest'
import { asAccount, connect, type Answer, type Client } from '../harness/client.ts'
import { temporaryDataFolder } from '../harness/server.ts'
import { answerProblem, operationsOf } from './document.ts'
import { createFaults, type Faults } from './port-faults.ts'

const document = openApiDocument()
const OPERATOR_TOKEN = 'a-token-for-the-tests'

/** Longest literal path first: `/v1/media/batch` is no item. */
const operations = operationsOf(document)
  .map((operation) => ({
    operation,
    pattern: new RegExp(`^${operation.path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  }))
  .sort((a, b) => Number(a.operation.path.includes('{')) - Number(b.operation.path.includes('{')))

export interface Recorded {
  operation: OperationId
  answer: Answer
  /** Which sample it belongs to, if any. */
  sample: string | null
}

/** An account with things in it that requests may name. */
export interface Subject {
  accountId: string
  client: Client
  doc: string
  batch: string
  collection: string
}

/** A service in this process, every answer of which is checked against the OpenAPI document. */
export interface OpenService {
  /** The data folder. */
  folder: string
  faults: Faults
  operator: Client
  openAccount: (credit: number, tier?: Tier) => Promise<{ accountId: string; client: Client }>
  keyFor: (accountId: string, capabilities: readonly Capability[]) => Promise<Client>
  as: (headers: Record<string, string>) => Client
  recorded: Recorded[]
  /** Answers to requests in here are those in which the fields are looked for. */
  sample(name: string, work: () => Promise<unknown>): Promise<void>
  close(): Promise<void>
}

/** The same, with accounts that differ in what they may do. */
export interface Served extends OpenService {
  /** With items of every type, a batch, and money. */
  main: Subject
  /** With an item and no money. */
  poor: Subject
  /** With an item, suspended. */
  suspended: Subject
  /** Another account with that much money, an item of which is paid for by it, and a batch that costs nothing. */
  subject: (credit: number) => Promise<Subject>
  /** A client whose next request is over its rate. */
  exhausted(): Promise<Client>
}

export const fixture = (name: string): Promise<Buffer<ArrayBuffer>> =>
  readFile(new URL(`../../fixtures/${name}`, import.meta.url))

let notes = 0
/** A text that nothing else says. */
export const note = (): string =>
  `Note number ${++notes}: the ferry to Grímsey leaves in the morning, said Anna Jónsdóttir of Reykjavík.`

/**
 * `settings`: names of the environment besides those that every test needs. `adapt`: puts something in place of an engine.
 */
export async function openService(
  settings: NodeJS.ProcessEnv = {},
  adapt = (engines: Engines): Engines => engines,
): Promise<OpenService> {
  const folder = await temporaryDataFolder()
  const faults = createFaults()
  const service = await startService(
    readConfig({
      PORT: '0',
      MEDIALOG_DATA_DIR: folder.path,
      MEDIALOG_OPERATOR_TOKEN: OPERATOR_TOKEN,
      MEDIALOG_LOG_LEVEL: 'silent',
      ...settings,
    }),
    { adapt: (engines: Engines) => faults.between(adapt(engines)) },
  )
  const { url } = service
  const recorded: Recorded[] = []
  let sample: string | null = null

  function record(method: string, path: string, answer: Answer): void {
    const [plain] = path.split('?') as [string]
    const found = operations.find(
      ({ operation, pattern }) => operation.method === method.toLowerCase() && pattern.test(plain),
    )
    if (!found) return
    const contentType = (answer.headers.get('content-type') ?? '').split(';')[0]!
    const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body)
    const problem = answerProblem(document, found.operation, { status: answer.status, contentType, text })
    expect(problem, `${method} ${path}: ${answer.status} ${text.slice(0, 1000)}`).toBeNull()
    recorded.push({ operation: found.operation.operationId as OperationId, answer, sample })
  }

  /** `upload` and `batch` of a client go through its `request`. */
  function recording(client: Client): Client {
    const request: Client['request'] = client.request.bind(client)
    client.request = async (method, path, options) => {
      const answer = await request(method, path, options)
      record(method, path, answer)
      return answer
    }
    return client
  }

  const as = (headers: Record<string, string>): Client => recording(connect(url, headers))
  const operator = as({ 'x-operator-token': OPERATOR_TOKEN })

  async function keyFor(accountId: string, capabilities: readonly Capability[]): Promise<Client> {
    const { body } = await operator.request('POST', `/admin/accounts/${accountId}/keys`, {
      json: { capabilities },
    })
    return recording(asAccount(url, body.data.api_key))
  }

  async function openAccount(credit: number, tier: Tier = 'enterprise') {
    const json = { name: 'of the tests', credit, tier }
    const { body } = await operator.request('POST', '/admin/accounts', { json })
    const accountId: string = body.data.account_id
    return { accountId, client: await keyFor(accountId, ['read', 'write', 'delete']) }
  }

  return {
    folder: folder.path,
    faults,
    operator,
    openAccount,
    keyFor,
    as,
    recorded,
    async sample(name, work) {
      sample = name
      await work()
      sample = null
    },
    async close() {
      await service.close()
      await folder.remove()
    },
  }
}

export async function serve(): Promise<Served> {
  // Quotas are shown as tiers have them, not as the memory of the embedded search bounds them.
  const open = await openService({}, (engines) => ({
    ...engines,
    search: { ...engines.search, mostVectors: () => Infinity },
  }))
  const { operator, openAccount } = open

  async function subject(credit: number): Promise<Subject> {
    const { accountId, client } = await openAccount(credit)
    const text = note()
    const uploaded = await client.upload('standing.txt', text, { collection_id: 'standing' })
    // A duplicate costs nothing, so that the poorest may have a batch.
    const batch = await client.batch([{ filename: 'again.txt', bytes: text }])
    return {
      accountId,
      client,
      doc: uploaded.body.data.media_id,
      batch: batch.body.data.batch_id,
      collection: 'standing',
    }
  }

  const main = await subject(1000)
  const poor = await subject(0.04)
  const suspended = await subject(1)
  await operator.request('PUT', `/admin/accounts/${suspended.accountId}/state`, {
    json: { state: 'suspended' },
  })
  const hasty = await openAccount(1, 'free')

  return {
    ...open,
    main,
    poor,
    suspended,
    subject,
    async exhausted() {
      while ((await hasty.client.request('GET', '/v1/media/collections')).status !== 429);
      return hasty.client
    },
  }
}
