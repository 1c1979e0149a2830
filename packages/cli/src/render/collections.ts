import { counted } from '@medialog/kernel'
import type { CollectionAnswer, CollectionList, Moved } from '../client/answers.ts'
import { localTime } from '../terminal/format.ts'
import type { Look } from '../terminal/look.ts'
import { pairs, table } from '../terminal/table.ts'
import { clean } from '../terminal/text.ts'

export function renderCollections(
  { collections, collection_details: details }: CollectionList,
  look: Look,
): string[] {
  return table(
    collections,
    [
      { title: 'COLLECTION', value: clean, paint: (_, { accent }) => accent, shrinks: 'end' },
      { title: 'ITEMS', value: (name) => String(details[name]?.item_count ?? 0), align: 'right' },
      {
        title: 'SINCE',
        value: (name) => localTime(details[name]?.created_at ?? ''),
        paint: (_, { dim }) => dim,
      },
    ],
    look,
  )
}

export function renderCollection({ collection_id: name, stats }: CollectionAnswer, look: Look): string[] {
  return [
    look.bold(clean(name)),
    ...pairs(
      [
        ['items', String(stats.item_count)],
        ['types', countsByType(stats.media_type_distribution)],
        ['oldest', localTime(stats.first_item_date)],
        ['newest', localTime(stats.last_item_date)],
      ],
      look,
    ),
  ]
}

export function renderMoved(
  { collection_id: name, summary, items_by_type: types }: Moved,
  look: Look,
): string[] {
  const already = summary.already_in_collection > 0 ? `, ${summary.already_in_collection} there already` : ''
  return [
    `${look.good('✓')} ${counted(summary.moved, 'item')} moved to ${look.bold(clean(name))}${already}  ${look.dim(countsByType(types))}`,
  ]
}

const countsByType = (counts: { readonly [type: string]: number }): string =>
  Object.entries(counts)
    .filter(([, number]) => number > 0)
    .map(([type, number]) => `${number} ${clean(type)}`)
    .join(', ')
