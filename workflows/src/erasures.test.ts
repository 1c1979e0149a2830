import { newId, SYSTEM } from '@medialog/application'
import type { ErasedIngest } from '@medialog/domain'
import type { Uuid } from '@medialog/kernel'
import { beforeEach, expect, test } from 'vitest'
import { advanceErasures, type ErasuresPorts } from './erasures.ts'
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

async function requested(ingests: ErasedIngest[]): Promise<Uuid> {
  const erasureId = newId()
  const of = { accountId: ACCOUNT, subject: { kind: 'items' } } as const
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
  await advanceErasures(portsWith({ erasures }), (error) => failures.push(error))
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
  await advanceErasures(ports, (error) => failures.push(error))
  expect(await statusOf(erasureId)).toBe('open')
  await advanceErasures(ports, (error) => failures.push(error))
  expect([await statusOf(erasureId), failures]).toEqual(['completed', []])
})

test('what was replaced before it was deleted is not erased while the log tells of it', async () => {
  const orchestrator = work.start()
  const { mediaId, ingestId } = await orchestrator.ingest(work.upload('same'))
  const erasureId = await requested([{ ...ingest(), mediaId, ingestId }])
  const replacing = await orchestrator.ingest({ ...work.upload('same'), overwrite: true })
  const failures: unknown[] = []
  const advance = () => advanceErasures(portsWith({}), (error) => failures.push(error))
  await advance()
  expect(await statusOf(erasureId)).toBe('open')
  const deletion = { cause: 'requested', reason: null, ingestId: replacing.ingestId, at } as const
  const { revision } = await work.streams.execute('media', mediaId, { type: 'DeleteMedia', ...deletion }, by)
  await work.streams.truncate('media', mediaId, revision)
  await advance()
  expect([await statusOf(erasureId), failures]).toEqual(['completed', []])
})
