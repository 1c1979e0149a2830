import type { CatalogChange } from '@medialog/application/ports'
import { MEDIA_TYPES } from '@medialog/kernel'
import fc from 'fast-check'
import { OTHER_MODEL, put, reembed, replace, TEST_MODEL, uuid } from './items.ts'

/** What may happen next, before it is known what is there. */
interface Step {
  kind: 'ingest' | 'reembed' | 'remove' | 'move' | 'end'
  account: number
  media: number
  collection: number
  words: string[]
}

const WORDS = [
  'wing',
  'wings',
  'supersonic',
  'boundary-layer',
  'heat',
  'transfer',
  'flow',
  '항공역학',
  '항공기의',
  'NACA-0012',
]

/** Histories as the domain would write them: claims before records, generations that grow, revisions without gaps. */
export const histories = (): fc.Arbitrary<CatalogChange[]> =>
  fc
    .array(
      fc.record<Step>({
        kind: fc.constantFrom('ingest', 'ingest', 'ingest', 'reembed', 'remove', 'move', 'end'),
        account: fc.nat(1),
        media: fc.nat(5),
        collection: fc.nat(2),
        words: fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 8 }),
      }),
      { maxLength: 25 },
    )
    .map(historyOf)

/** What an item is when the next step comes. */
interface Known {
  revision: number
  ingest: string | null
  place: string
  chunks: string[]
  model: string
}

const NOTHING: Known = { revision: 0, ingest: null, place: '', chunks: [], model: TEST_MODEL }

function historyOf(steps: readonly Step[]): CatalogChange[] {
  const generations = new Map<string, number>()
  const items = new Map<string, Known>()
  return steps.flatMap((step, at): CatalogChange[] => {
    const account = `account ${step.account}`
    const media = `media ${step.account} ${step.media}`
    const name = `collection-${step.collection}`
    const collection = `${account}/${name}`
    const generation = generations.get(collection) ?? 0
    const known = items.get(media) ?? NOTHING
    const isDead =
      known.place !== `${known.place.split('#')[0]}#${generations.get(known.place.split('#')[0]!) ?? 0}`
    const remove: CatalogChange = {
      type: 'RemoveItem',
      accountId: uuid(account),
      mediaId: uuid(media),
      ingestId: uuid(known.ingest ?? ''),
      revision: known.revision + 1,
      at,
    }
    switch (step.kind) {
      case 'ingest': {
        const ingest = `${media}/${at}`
        const isReplacement = known.ingest !== null && !isDead
        const revision = known.revision + (known.ingest !== null && isDead ? 2 : 1)
        const chunks = [step.words[0]!, step.words.join(' ')]
        const model = at % 3 === 0 ? OTHER_MODEL : TEST_MODEL
        const sketch = {
          account,
          media,
          ingest,
          revision,
          createdAt: at % 7,
          type: MEDIA_TYPES[step.media % 3],
          topics: [step.words[0]!],
          people: step.words.slice(1, 3),
          chunks,
          model,
        }
        const place = isReplacement && at % 2 === 0 ? known.place : `${collection}#${generation}`
        items.set(media, { revision, ingest, place, chunks, model })
        if (isReplacement && at % 2 === 0) return [replace(sketch, known.ingest!)]
        if (isReplacement) return [replace({ ...sketch, collection: name, generation }, known.ingest!)]
        const record = put({ ...sketch, collection: name, generation })
        return known.ingest !== null ? [remove, record] : [record]
      }
      case 'reembed': {
        if (known.ingest === null || isDead) return []
        const revision = known.revision + 1
        const model = known.model === TEST_MODEL ? OTHER_MODEL : TEST_MODEL
        items.set(media, { ...known, revision, model })
        return [reembed({ account, media, ingest: known.ingest, revision, chunks: known.chunks, model })]
      }
      case 'remove':
        if (known.ingest === null) return []
        items.set(media, { ...NOTHING, revision: known.revision + 1 })
        return [remove]
      case 'move':
        if (known.ingest !== null && !isDead)
          items.set(media, { ...known, place: `${collection}#${generation}` })
        return [
          {
            type: 'MoveItems',
            accountId: uuid(account),
            mediaIds: [uuid(media), uuid('nobody')],
            collection: name,
            generation,
          },
        ]
      case 'end':
        generations.set(collection, generation + 1)
        return [{ type: 'EndCollection', accountId: uuid(account), collection: name, generation, at }]
    }
  })
}
