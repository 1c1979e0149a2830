import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeTinyModel } from '@medialog/embedder/testing/tiny-model'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openAccount } from '../harness/accounts.ts'
import { asAccount, asOperator, type Answer, type Client } from '../harness/client.ts'
import { operated } from '../harness/operations.ts'
import { startServer, type RunningServer } from '../harness/server.ts'

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

const TEXTS = {
  whales: 'Whales sleep in the deep ocean, breathing at the surface now and then.',
  bridge: 'The stone bridge was built in the twelfth century over the river.',
  budget: 'The committee approved the annual budget for the new library.',
  bread: 'Bread dough rises in a warm kitchen before it is baked.',
  rocket: 'The rocket engine burned hydrogen and oxygen during launch.',
  orchard: 'Old apple trees and roses grow in the orchard behind the garden.',
  violin: 'The violin concerto was played by a young orchestra.',
}
const STORED = Object.keys(TEXTS).length

/** A library of two accounts that was stored with the embedder in the box. */
class Library {
  root = ''
  apiKeys: string[] = []
  ids = new Map<string, string>()
  texts: { [name: string]: string } = { ...TEXTS }
  server!: RunningServer

  async store(): Promise<void> {
    this.root = await mkdtemp(join(tmpdir(), 'medialog-embeddings-'))
    await this.start({})
    this.apiKeys = [this.server.apiKey!]
    this.apiKeys.push((await openAccount(this.operator, { name: 'other', credit: 5 })).apiKey)
    for (const [name, text] of Object.entries(TEXTS)) await this.upload(name, text)
    await this.other.upload(
      'secret.txt',
      'A secret of the other account: whales sleep near the stone bridge.',
    )
    await this.server.stop()
  }

  async start(env: Record<string, string>): Promise<void> {
    this.server = await startServer({ dataFolder: join(this.root, 'data'), env })
  }

  /** The settings by which the model of that name embeds. */
  async configured(name: string): Promise<{ MEDIALOG_EMBEDDER: string }> {
    return { MEDIALOG_EMBEDDER: await writeTinyModel(join(this.root, name), { name }) }
  }

  get client(): Client {
    return asAccount(this.server.url, this.apiKeys[0]!)
  }
  get other(): Client {
    return asAccount(this.server.url, this.apiKeys[1]!)
  }
  get operator(): Client {
    return asOperator(this.server.url, this.server.operatorToken)
  }

  async upload(name: string, text: string): Promise<void> {
    const { body } = await this.send(name, text)
    this.ids.set(name, body.data.media_id)
    this.texts[name] = text
  }

  /** Under the same Idempotency-Key each time. */
  send(name: string, text: string): Promise<Answer> {
    return this.client.upload(`${name}.txt`, text, {}, { 'idempotency-key': name })
  }

  /** Names of files found by meaning alone, best first. */
  async found(query: string, client = this.client, type = 'basic'): Promise<string[]> {
    const { body } = await client.request('POST', '/v1/search', {
      json: { query, type, max_results: 3, config: { lexical_weight: 0 } },
    })
    return body.data.results.map(
      (result: { metadata: { file_info: { filename: string } } }) => result.metadata.file_info.filename,
    )
  }

  async status(): Promise<{
    pending_items: number
    models: { model: string; items: number; found_by: string }[]
  }> {
    return (await this.operator.request('GET', '/admin/embeddings')).body.data
  }

  /** The model of an item's vectors, as a reader sees it. */
  async modelOf(name: string): Promise<string> {
    const { body } = await this.client.request('GET', `/v1/media/${this.ids.get(name)}?include_vectors=true`)
    return body.data.vectors.model
  }

  /** Files of all ingests in the artifact store, without their folders. */
  async artifacts(): Promise<string[][]> {
    const folder = join(this.root, 'data', 'artifacts')
    const files: string[][] = []
    for (const account of (await readdir(folder)).filter((name) => !name.startsWith('.')))
      for (const media of await readdir(join(folder, account)))
        for (const ingest of await readdir(join(folder, account, media)))
          files.push((await readdir(join(folder, account, media, ingest))).sort())
    return files
  }
}

/** Every text is the first that is found by its own words' meaning; nobody sees the other account's. */
async function expectAllFound(library: Library): Promise<void> {
  for (const name of library.ids.keys())
    expect((await library.found(library.texts[name]!))[0], name).toBe(`${name}.txt`)
  expect(await library.found('whales sleep near the stone bridge', library.other)).toEqual(['secret.txt'])
}

/** What a rebuild makes of the log is what is in service. */
async function expectRebuilt({ operator }: Library): Promise<void> {
  for (const kind of ['projections-verify', 'projections-rebuild'])
    expect(await operated(operator, { kind, name: 'catalog' })).toMatchObject({
      status: 'succeeded',
      result: { identical: true },
    })
}

describe('another embedder is configured', () => {
  const library = new Library()
  beforeAll(async () => {
    await library.store()
    await library.start(await library.configured('second'))
  })
  afterAll(async () => {
    await library.server.stop()
    await rm(library.root, { recursive: true })
  })

  test('the start says what to do, the status is degraded, and what is there is found by its own vectors', async () => {
    expect(library.server.errors()).toContain('medialog embeddings migrate')
    const { body } = await library.client.request('GET', '/v1/status')
    expect(body.data).toMatchObject({ status: 'degraded', components: { search: 'degraded' } })
    expect(await library.status()).toMatchObject({
      pending_items: STORED + 1,
      models: [{ model: expect.stringMatching(/^all-MiniLM/), items: STORED + 1, found_by: 'meaning' }],
    })
    await expectAllFound(library)
  })

  test('what is uploaded before the migration is embedded by it, and found at once beside the others', async () => {
    await library.upload('garden', 'A quiet garden with roses and an old apple tree.')
    expect(await library.modelOf('garden')).toMatch(/^second@/)
    expect(await library.modelOf('whales')).toMatch(/^all-MiniLM/)
    await expectAllFound(library)
    expect(await library.found('a quiet garden', library.client, 'advanced')).toContain('garden.txt')
    // The reference is compared with each as that one's embedder has it.
    const similar = await library.client.request('POST', '/v1/search/similar', {
      json: { media_id: library.ids.get('garden'), min_score: 0, max_results: 100 },
    })
    expect(similar.body.data.results[0].media_id).toBe(library.ids.get('orchard'))
  })

  test('while it is migrated everything is found, and afterwards by the new vectors alone', async () => {
    let done = false
    let searches = 0
    const search = async (): Promise<void> => {
      for (; !done || searches === 0; searches++) await expectAllFound(library)
    }
    const migrate = operated(library.operator, { kind: 'embeddings-migrate' }).finally(() => (done = true))
    const [{ status, result, error }] = await Promise.all([migrate, search()])
    expect([status, error]).toEqual(['succeeded', null])
    expect(result).toMatchObject({ reembedded: STORED + 1, gone: 0, pending: 0 })
    expect(searches).toBeGreaterThan(0)
    expect((await library.status()).models).toMatchObject([
      { model: expect.stringMatching(/^second@/), items: STORED + 2 },
    ])
    for (const name of library.ids.keys()) expect(await library.modelOf(name)).toMatch(/^second@/)
    await expectAllFound(library)
    expect((await library.client.request('GET', '/v1/status')).body.data.status).toBe('operational')
  })

  test('a repeat of an upload from before is answered, and paid once', async () => {
    const { status, headers, body } = await library.send('whales', TEXTS.whales)
    expect([status, headers.get('idempotency-replayed')]).toEqual([200, 'true'])
    expect(body.data.media_id).toBe(library.ids.get('whales'))
  })

  test('a rebuild makes the same of it, though the vectors that were replaced are gone', async () => {
    for (const files of await library.artifacts()) expect(files).toHaveLength(2)
    await expectRebuilt(library)
    await expectAllFound(library)
  })

  test('once more is nothing to do; a third embedder, without the second, finds by words until it is migrated', async () => {
    expect((await operated(library.operator, { kind: 'embeddings-migrate' })).result).toMatchObject({
      reembedded: 0,
      pending: 0,
    })
    await library.server.stop()
    const third = await library.configured('third')
    await library.start(third)
    expect((await library.status()).models).toMatchObject([{ found_by: 'words' }])
    expect(await library.found('whales sleep')).toEqual([])
    const byWords = await library.client.request('POST', '/v1/search', { json: { query: 'whales sleep' } })
    expect(byWords.body.data.results[0].metadata.file_info.filename).toBe('whales.txt')
    await library.server.stop()

    await library.start({ ...third, MEDIALOG_FORMER_EMBEDDER: join(library.root, 'second') })
    expect((await library.status()).models).toMatchObject([{ found_by: 'meaning' }])
    await expectAllFound(library)
    expect((await operated(library.operator, { kind: 'embeddings-migrate' })).result.pending).toBe(0)
    await expectAllFound(library)
    await expectRebuilt(library)
  })
})

test('a folder that holds no model stops the start with one line', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'medialog-no-model-'))
  const start = startServer({ dataFolder: join(folder, 'data'), env: { MEDIALOG_EMBEDDER: folder } })
  await expect(start).rejects.toThrow(
    `medialog: MEDIALOG_EMBEDDER: the model in ${folder} cannot be used: embedder.json is missing.`,
  )
  await rm(folder, { recursive: true })
})
