import { newId, SYSTEM, type Erasure } from '@medialog/application'
import type { ErasedIngest, ErasureSubject } from '@medialog/domain'
import type { LogPosition, Uuid } from '@medialog/kernel'
import { beforeEach, expect, test } from 'vitest'
import { createErasures, type ErasuresPorts } from './erasures.ts'
import { ACCOUNT, startWork, type Work } from './testing/service.ts'

let work: Work
beforeEach(async () => {
  work = await startWork()
})

const ingest = (): ErasedIngest => ({
  mediaId: newId(),
  ingestId: newId(),
  mediaType: 'document',
  sha256: '0'.repeat(64),
  artifacts: {},
})
const by = { ...SYSTEM, accountId: ACCOUNT }
const at = Date.now()

async function requested(
  ingests: ErasedIngest[],
  subject: ErasureSubject = { kind: 'items' },
): Promise<Uuid> {
  const erasureId = newId()
  const of = { accountId: ACCOUNT, subject } as const
  await work.streams.execute('erasure', erasureId, { type: 'RequestErasure', ...of, ingests, at }, by)
  return erasureId
}

const statusOf = async (erasureId: Uuid) =>
  (await work.streams.load('erasure', erasureId, ({ status }) => status)).selected

const portsWith = (more: Partial<ErasuresPorts>): ErasuresPorts =>
  ({
    ...work.ports,
    settings: { erasedStores: [] },
    erasures: { areDone: async (asked: unknown[]) => asked.map(() => true) },
    flushErased: async () => undefined,
    ...more,
  }) as unknown as ErasuresPorts

test('one erasure that fails does not hold up the others', async () => {
  const failing = ingest()
  const [first, second] = [await requested([failing]), await requested([ingest()])]
  const failures: unknown[] = []
  const erasures: ErasuresPorts['erasures'] = {
    async areDone(asked) {
      if (asked[0]!.ingestId === failing.ingestId) throw new Error('away')
      return [true]
    },
  }
  await createErasures(portsWith({ erasures }), (error) => failures.push(error))()
  expect([await statusOf(first), await statusOf(second)]).toEqual(['open', 'completed'])
  expect(failures).toEqual([new Error('away')])
})

test('what is named while an erasure is about to be completed is looked for first', async () => {
  const erasureId = await requested([ingest()])
  let extend = async (): Promise<unknown> =>
    work.streams.execute('erasure', erasureId, { type: 'ExtendErasure', ingests: [ingest()], at }, by)
  const ports = portsWith({
    async flushErased() {
      await extend()
      extend = async () => undefined
    },
  })
  const failures: unknown[] = []
  const advance = createErasures(ports, (error) => failures.push(error))
  await advance()
  expect(await statusOf(erasureId)).toBe('open')
  await advance()
  expect([await statusOf(erasureId), failures]).toEqual(['completed', []])
})

test('what was replaced before it was deleted is not erased while the log has it', async () => {
  const orchestrator = work.start()
  const { mediaId, ingestId } = await orchestrator.ingest(work.upload('same'))
  const erasureId = await requested([{ ...ingest(), mediaId, ingestId }])
  const replacing = await orchestrator.ingest({ ...work.upload('same'), overwrite: true })
  const failures: unknown[] = []
  const advance = createErasures(portsWith({}), (error) => failures.push(error))
  await advance()
  expect(await statusOf(erasureId)).toBe('open')
  const deletion = { cause: 'requested', reason: null, ingestId: replacing.ingestId, at } as const
  const { revision } = await work.streams.execute('media', mediaId, { type: 'DeleteMedia', ...deletion }, by)
  await work.streams.truncate('media', mediaId, revision)
  await advance()
  expect([await statusOf(erasureId), failures]).toEqual(['completed', []])
})

test('a collection whose request died is ended first, and erased once no item of it is left', async () => {
  const erasureId = await requested([], { kind: 'collection', collection: 'x', generation: 0 })
  let ended: { left: number } | null = { left: 0 }
  const catalog = {
    position: async () => Infinity,
    endedCollection: async () => ended,
    pendingErasures: async () => [],
  }
  const failures: unknown[] = []
  const advance = createErasures(portsWith({ catalog: catalog as never }), (error) => failures.push(error))
  const isEnded = async () =>
    (await work.streams.load('library', ACCOUNT, (library) => library.generations.get('x') === 1)).selected
  expect(await isEnded()).toBe(false)
  await advance()
  // What the catalog said is from before the end.
  expect([await isEnded(), await statusOf(erasureId)]).toEqual([true, 'open'])
  for (const left of [null, { left: 1 }]) {
    ended = left
    await advance()
    expect(await statusOf(erasureId)).toBe('open')
  }
  ended = { left: 0 }
  await advance()
  expect([await statusOf(erasureId), failures]).toEqual(['completed', []])
})

test('a collection is erased once what the account deleted by then is', async () => {
  const erasureId = await requested([], { kind: 'collection', collection: 'x', generation: 0 })
  const place = { collection: 'x', generation: 0 }
  const { position: ended } = await work.streams.execute(
    'library',
    ACCOUNT,
    { type: 'DeleteCollection', accountId: ACCOUNT, place, at },
    by,
  )
  // The deletion of one of its items comes after its end: it was under way before.
  const racing = await work.streams.execute(
    'erasure',
    newId(),
    {
      type: 'RequestErasure',
      accountId: ACCOUNT,
      subject: { kind: 'items' },
      ingests: [],
      at: at + 1,
    },
    by,
  )
  const pending: Erasure[] = []
  const erasureAt = (position: LogPosition): Erasure => {
    const { mediaId, ingestId } = ingest()
    return { accountId: ACCOUNT, mediaId, ingestId, cause: 'deleted', revision: 2, position }
  }
  const catalog = {
    applied: ended,
    position: async () => catalog.applied,
    endedCollection: async () => ({ items: 1, hd: 1, ld: 1, left: 0 }),
    pendingErasures: async () => pending.slice(0, 1),
  }
  const failures: unknown[] = []
  const advance = createErasures(portsWith({ catalog: catalog as never }), (error) => failures.push(error))
  await advance()
  expect(await statusOf(erasureId), 'the catalog lags').toBe('open')
  catalog.applied = racing.position
  pending.push(erasureAt(racing.position))
  await advance()
  expect(await statusOf(erasureId), 'bytes are left').toBe('open')
  pending.splice(0, 1, erasureAt(racing.position + 1))
  await advance()
  expect([await statusOf(erasureId), failures]).toEqual(['completed', []])
})
