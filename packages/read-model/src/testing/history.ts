import type { CatalogChange } from '@medialog/application/ports'
import { MEDIA_TYPES } from '@medialog/kernel'
import fc from 'fast-check'
import { put, replace, uuid } from './items.ts'

/** What may happen next, before it is known what is there. */
interface Step {
  kind: 'ingest' | 'remove' | 'move' | 'end'
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
        kind: fc.constantFrom('ingest', 'ingest', 'ingest', 'remove', 'move', 'end'),
        account: fc.nat(1),
        media: fc.nat(5),
        collection: fc.nat(2),
        words: fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 8 }),
      }),
      { maxLength: 25 },
    )
    .map(historyOf)

function historyOf(steps: readonly Step[]): CatalogChange[] {
  const generations = new Map<string, number>()
  const items = new Map<string, { revision: number; ingest: string | null; place: string }>()
  return steps.flatMap((step, at): CatalogChange[] => {
    const account = `account ${step.account}`
    const media = `media ${step.account} ${step.media}`
    const name = `collection-${step.collection}`
    const collection = `${account}/${name}`
    const generation = generations.get(collection) ?? 0
    const known = items.get(media) ?? { revision: 0, ingest: null, place: '' }
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
        const sketch = {
          account,
          media,
          ingest,
          revision,
          createdAt: at % 7,
          type: MEDIA_TYPES[step.media % 3],
          topics: [step.words[0]!],
          people: step.words.slice(1, 3),
          chunks: [step.words[0]!, step.words.join(' ')],
        }
        const place = isReplacement && at % 2 === 0 ? known.place : `${collection}#${generation}`
        items.set(media, { revision, ingest, place })
        if (isReplacement && at % 2 === 0) return [replace(sketch, known.ingest!)]
        if (isReplacement) return [replace({ ...sketch, collection: name, generation }, known.ingest!)]
        const record = put({ ...sketch, collection: name, generation })
        return known.ingest !== null ? [remove, record] : [record]
      }
      case 'remove':
        if (known.ingest === null) return []
        items.set(media, { revision: known.revision + 1, ingest: null, place: '' })
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
