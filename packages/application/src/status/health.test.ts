import { describe, expect, test, vi } from 'vitest'
import { READ_MODELS, type ProviderStatus, type ReadModelStatus } from '../ports/index.ts'
import { createHealth } from './health.ts'

type Parts = Parameters<typeof createHealth>[0]

const FINE = {
  position: 7,
  behind: 0,
  atLeast: false,
  error: null,
  unwiped: { removals: 0, error: null },
  leader: 'here',
  isLeader: true,
}
const statuses = (changed: Partial<ReadModelStatus> = {}): ReadModelStatus[] =>
  READ_MODELS.map((name) => ({ ...FINE, name, ...(name === (changed.name ?? 'usage') && changed) }))

const EMBEDDER = { model: 'configured', dimensions: 1, cosineFloor: 0 } as Parts['embedder']
const EMBEDDINGS = [{ model: 'configured', items: 4, vectors: 9, accounts: 2 }]

const ROOM = { free: 200_000_000, reserved: 100_000_000 }

/** Every part answers, except those given. */
const health = (given: { [Part in keyof Parts]?: Partial<Parts[Part]> } = {}) =>
  createHealth(partsWith(given))()

function partsWith(given: { [Part in keyof Parts]?: Partial<Parts[Part]> }): Parts {
  const position = async () => 7
  const parts = {
    eventStore: { head: position, trouble: () => null, damaged: async () => [] },
    projections: { status: async () => statuses() },
    catalog: { pendingErasures: async () => [], embeddings: async () => EMBEDDINGS },
    search: { position },
    accounts: { position },
    usage: { position },
    work: { position },
    batches: { position },
    history: { position },
    understanding: { trouble: async () => null },
    orchestrator: { trouble: async () => null },
    background: { waiting: 0, trouble: null },
    formerEmbedders: { find: async (model: string) => (model === 'former' ? EMBEDDER : null) },
    embedder: { ...EMBEDDER, embed: async () => [new Float32Array(1)] },
    providers: { status: () => [] },
    artifacts: { remote: false, check: async () => {} },
    rateLimiter: { remote: false, check: async () => {} },
    staging: { room: async () => ROOM },
    publishing: { status: async () => null },
    sentElsewhere: null,
    webhooks: null,
    clock: { now: () => 0 },
  }
  return { ...parts, ...given } as Parts
}

const away = () => Promise.reject(new Error('away'))
const status = (changed: Partial<ReadModelStatus>) => ({
  projections: { status: async () => statuses(changed) },
})

test('however many ask at once, the parts are asked once, and again for who comes later', async () => {
  let asked = 0
  const healthNow = createHealth(
    partsWith({
      search: {
        position: async () => {
          asked++
          return 7
        },
      },
    }),
  )
  const found = await Promise.all([healthNow(), healthNow(), healthNow()])
  expect(found.map(({ status }) => status)).toEqual(['operational', 'operational', 'operational'])
  expect(asked).toBe(1)
  await healthNow()
  expect(asked).toBe(2)
})

test('answers while a part hangs, from what the part said last', async () => {
  vi.useFakeTimers()
  try {
    let answers = true
    const position = async () => (answers ? 7 : new Promise<number>(() => undefined))
    const healthNow = createHealth(partsWith({ search: { position } }))
    expect((await healthNow()).status).toBe('operational')
    answers = false
    const asked = healthNow()
    await vi.advanceTimersByTimeAsync(700)
    expect((await asked).status).toBe('operational')
    await vi.advanceTimersByTimeAsync(20_000)
    const later = healthNow()
    await vi.advanceTimersByTimeAsync(700)
    expect(await later).toMatchObject({
      status: 'degraded',
      components: { storage: 'operational', search: 'unavailable' },
      problems: ['search: no answer within 0.7 s'],
    })
  } finally {
    vi.useRealTimers()
  }
})

test('a disk with less room than has to be left refuses uploads, and reports it', async () => {
  const full = { free: 37_900_000, reserved: 100_000_000 }
  const found = await health({ staging: { room: async () => full } })
  expect(found).toMatchObject({
    status: 'degraded',
    components: { storage: 'degraded', search: 'operational' },
    limitations: { disk: 'uploads are refused until there is room on the disk again' },
    problems: ['the disk is full: 37 MB are free, and uploads are refused below 100'],
    room: full,
  })
  const nothing = { free: 0, reserved: 0 }
  expect(await health({ staging: { room: async () => nothing } })).toMatchObject({
    status: 'degraded',
    problems: ['the disk is full: 0 MB are free, and uploads are refused below 1'],
  })
  expect(await health({ staging: { room: away } })).toMatchObject({
    status: 'degraded',
    components: { storage: 'degraded' },
    problems: ['staging: away'],
    room: null,
  })
})

test('all is well', async () => {
  expect(await health()).toEqual({
    status: 'operational',
    components: { api: 'operational', storage: 'operational', search: 'operational' },
    limitations: {},
    problems: [],
    readModels: statuses(),
    providers: [],
    publishing: null,
    webhooks: null,
    pendingErasures: 0,
    room: ROOM,
  })
})

test('files that cannot be read as well as they could be are said, and nothing else is the worse for it', async () => {
  expect(await health({ understanding: { trouble: async () => 'no decoder' } })).toMatchObject({
    status: 'degraded',
    components: { api: 'degraded', storage: 'operational', search: 'operational' },
    limitations: { reading: 'no decoder' },
    problems: ['understanding: no decoder'],
  })
})

describe('publishing', () => {
  const PUBLISHING = { position: 7, behind: 0, events: 5, transactions: 1, failures: 0 }
  const publishing = (trouble: string | null, stopped: boolean) => {
    const status = { ...PUBLISHING, trouble, stopped }
    return { status, given: { publishing: { status: async () => status } } }
  }

  test('is a part of its own where it is configured', async () => {
    const { status, given } = publishing(null, false)
    const components = {
      api: 'operational',
      storage: 'operational',
      search: 'operational',
      publisher: 'operational',
    }
    expect(await health(given)).toMatchObject({ status: 'operational', components, publishing: status })
  })

  test.each([
    ['waits for its broker', false, 'degraded'],
    ['has stopped', true, 'unavailable'],
  ])('that %s is said, and nothing else is the worse for it', async (_, stopped, publisher) => {
    expect(await health(publishing('why', stopped).given)).toMatchObject({
      status: 'degraded',
      components: { api: 'operational', storage: 'operational', search: 'operational', publisher },
      problems: ['publisher: why'],
    })
  })
})

test('what another process sends is a part of its own, while it is known how that is', async () => {
  const elsewhere = (troubles: Partial<Record<'publisher' | 'webhooks', string | null>>) =>
    health({ sentElsewhere: { troubles: () => troubles } })
  const parts = { api: 'operational', storage: 'operational', search: 'operational' }
  expect(await elsewhere({})).toMatchObject({ status: 'operational', components: parts })
  const well = await elsewhere({ publisher: null, webhooks: null })
  expect([well.status, well.components]).toEqual(['operational', { ...parts, publisher: 'operational' }])
  const ill = await elsewhere({ publisher: 'no broker', webhooks: 'no index' })
  expect([ill.status, ill.components]).toEqual([
    'degraded',
    { ...parts, publisher: 'degraded', webhooks: 'degraded' },
  ])
  expect(ill.problems).toEqual(['publisher: no broker', 'webhooks: no index'])
})

test('reports uploads and batches without a worker, and reads are not degraded', async () => {
  expect(await health({ orchestrator: { trouble: async () => 'Temporal does not answer' } })).toMatchObject({
    status: 'degraded',
    components: { api: 'degraded', storage: 'operational', search: 'operational' },
    limitations: { workers: 'uploads are refused and batches wait until a worker is back' },
    problems: ['orchestrator: Temporal does not answer'],
  })
})

test.each([
  ['understanding', 'reading'],
  ['orchestrator', 'workers'],
])('of the %s that cannot say how it is, the worst is said', async (part, limit) => {
  expect(await health({ [part]: { trouble: away } })).toMatchObject({
    status: 'degraded',
    components: { api: 'degraded' },
    limitations: { [limit]: expect.any(String) },
    problems: [`${part}: away`],
  })
})

describe('a part that cannot be read', () => {
  test.each([
    [
      'event store',
      { eventStore: { head: away, trouble: () => null, damaged: async () => [] } },
      'critical',
      'unavailable',
      'operational',
    ],
    ['projections', { projections: { status: away } }, 'degraded', 'degraded', 'degraded'],
    [
      'catalog',
      { catalog: { pendingErasures: away, embeddings: async () => [] } },
      'degraded',
      'degraded',
      'unavailable',
    ],
    [
      'embeddings',
      { catalog: { pendingErasures: async () => [], embeddings: away } },
      'degraded',
      'operational',
      'unavailable',
    ],
    ['search', { search: { position: away } }, 'degraded', 'operational', 'unavailable'],
    ['accounts', { accounts: { position: away } }, 'degraded', 'degraded', 'operational'],
    ['usage', { usage: { position: away } }, 'degraded', 'degraded', 'operational'],
    ['work', { work: { position: away } }, 'degraded', 'degraded', 'operational'],
    ['batches', { batches: { position: away } }, 'degraded', 'degraded', 'operational'],
    ['history', { history: { position: away } }, 'degraded', 'degraded', 'operational'],
    ['embedder', { embedder: { ...EMBEDDER, embed: away } }, 'degraded', 'operational', 'unavailable'],
  ] as const)('%s', async (part, given, overall, storage, search) => {
    expect(await health(given)).toMatchObject({
      status: overall,
      components: { storage, search },
      problems: [`${part}: away`],
    })
  })
})

test('a read model that is rebuilt is shown', async () => {
  expect(await health(status({ error: 'damaged' }))).toMatchObject({
    status: 'degraded',
    components: { storage: 'degraded', search: 'degraded' },
    problems: ['read model usage: damaged'],
  })
})

test('one that is far behind is said to be at least so far where counting stopped', async () => {
  const problemOf = async (behind: number, atLeast: boolean) =>
    (await health(status({ behind, atLeast }))).problems
  expect(await problemOf(1_000, false)).toEqual([])
  expect(await problemOf(1_001, false)).toEqual(['read model usage is 1001 events behind'])
  expect(await problemOf(10_000, true)).toEqual(['read model usage is at least 10000 events behind'])
})

test('content that could not be wiped counts as pending', async () => {
  const unwiped = { removals: 3, error: 'the disk is full' }
  expect(await health(status({ name: 'catalog', unwiped }))).toMatchObject({
    status: 'degraded',
    pendingErasures: 3,
    problems: ['read model catalog: erased content is not wiped from its file yet: the disk is full'],
  })
  expect(await health(status({ unwiped: { removals: 2, error: null } }))).toMatchObject({
    pendingErasures: 0,
  })
})

describe('a model of a provider', () => {
  const provider = (changed: Partial<ProviderStatus>): ProviderStatus => ({
    use: 'enrichment',
    model: 'openai:gpt-5-mini',
    breaker: 'closed',
    trouble: null,
    tokensLeft: null,
    calls: { succeeded: 1, failed: 0, refused: 0, tokens: 7 },
    ...changed,
  })
  const healthWith = (changed: Partial<ProviderStatus>) =>
    health({ providers: { status: () => [provider(changed)] } })

  test('that failed once is no trouble; one that is left alone is', async () => {
    expect((await healthWith({ trouble: 'It failed.' })).status).toBe('operational')
    expect(await healthWith({ breaker: 'open', trouble: 'It failed.' })).toMatchObject({
      status: 'degraded',
      components: { search: 'operational' },
      problems: ['model provider of enrichment (openai:gpt-5-mini): It failed.'],
    })
  })

  test('that embeds is not asked; without it there is no search', async () => {
    const embedder = { ...EMBEDDER, embed: () => Promise.reject(new Error('asked')) }
    for (const [breaker, search] of [
      ['closed', 'operational'],
      ['open', 'unavailable'],
    ] as const)
      expect(
        await health({ embedder, providers: { status: () => [provider({ use: 'embedding', breaker })] } }),
      ).toMatchObject({ components: { search } })
  })
})

describe('what processes share', () => {
  const fine = { remote: true, check: async () => {} }

  test('is shown where it is configured', async () => {
    expect(await health({ artifacts: fine, rateLimiter: fine })).toMatchObject({
      status: 'operational',
      components: { storage: 'operational', artifacts: 'operational', limits: 'operational' },
      problems: [],
    })
  })

  test('degrades storage without object storage, and nothing else without shared limits', async () => {
    expect(await health({ artifacts: { remote: true, check: away }, rateLimiter: fine })).toMatchObject({
      status: 'degraded',
      components: { api: 'operational', storage: 'degraded', artifacts: 'unavailable' },
      problems: ['artifacts: away'],
    })
    expect(await health({ artifacts: fine, rateLimiter: { remote: true, check: away } })).toMatchObject({
      status: 'degraded',
      components: { api: 'operational', storage: 'operational', limits: 'degraded' },
      problems: ['rate limiter: away'],
    })
  })
})

test('a damaged stream is named, and degrades what is stored', async () => {
  const eventStore = {
    head: async () => 7,
    trouble: () => null,
    damaged: async () => [{ stream: 'ledger-a' as const, revision: 4, reason: 'it is not ours' }],
  }
  expect(await health({ eventStore })).toMatchObject({
    status: 'degraded',
    components: { storage: 'degraded', search: 'operational' },
    limitations: { damage: 'ledger-a is damaged at revision 4: it is not ours' },
    problems: ['event store: ledger-a is damaged at revision 4: it is not ours'],
  })
})

test('a log that takes no appends is critical, although it can be read', async () => {
  const eventStore = {
    head: async () => 7,
    trouble: () => 'the writer of the log died',
    damaged: async () => [],
  }
  expect(await health({ eventStore })).toMatchObject({
    status: 'critical',
    components: { storage: 'unavailable', search: 'operational' },
    problems: ['event store: the writer of the log died'],
  })
})

test('items of another embedder degrade search, and it is said how they are found and what to do', async () => {
  const embeddings = async () => [
    ...EMBEDDINGS,
    { model: 'former', items: 3, vectors: 9, accounts: 1 },
    { model: 'lost', items: 1, vectors: 2, accounts: 1 },
  ]
  const until = 'until `medialog embeddings migrate` has embedded them again'
  expect(await health({ catalog: { pendingErasures: async () => [], embeddings } })).toMatchObject({
    status: 'degraded',
    components: { storage: 'operational', search: 'degraded' },
    problems: [
      `3 items have vectors of former, not of configured: found by those ${until}`,
      `1 item has vectors of lost, not of configured: found by their words alone ${until}`,
    ],
  })
})

test('that webhooks are not sent is said, and nothing else is the worse for it', async () => {
  const fine = { delivered: 1, failed: 0, dead: 0, pending: 0, behind: 0, trouble: null }
  const well = await health({ webhooks: { status: async () => fine } })
  expect([well.status, well.components.webhooks, well.webhooks]).toEqual(['operational', undefined, fine])
  const stuck = { ...fine, trouble: 'the disk is full' }
  expect(await health({ webhooks: { status: async () => stuck } })).toMatchObject({
    status: 'degraded',
    components: { api: 'operational', storage: 'operational', search: 'operational', webhooks: 'degraded' },
    problems: ['webhooks: the disk is full'],
  })
})

test('changes are refused while the clock is wrong, and the operator sees why', async () => {
  const clock = { now: () => 0, trouble: () => 'it is 30 hours ahead' }
  expect(await health({ clock })).toMatchObject({
    status: 'degraded',
    components: { api: 'degraded', storage: 'operational' },
    limitations: { clock: 'changes are refused until the clock of the service is right' },
    problems: ['clock: it is 30 hours ahead'],
  })
})

test('the operator sees owed work that is retried', async () => {
  const { status, problems, limitations } = await health({
    background: { waiting: 2, trouble: 'artifact store: ENOTDIR' },
  })
  expect([status, problems, limitations]).toEqual([
    'degraded',
    ['owed work that is tried again (2): artifact store: ENOTDIR'],
    {},
  ])
})
