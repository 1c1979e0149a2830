import { ENTITY_KINDS, type SearchQuery } from '@medialog/application/ports'
import { MEDIA_TYPES } from '@medialog/kernel'
import { termOf } from '../analysis/term.ts'
import type { ItemIndex } from './item-index.ts'
import { entityLabel, featureLabel, topicLabel } from './labels.ts'
import { slotOf } from './postings.ts'

/** The items a query may find: 1 by item number, and how many. */
export interface Selection {
  items: Uint8Array
  count: number
}

/** All items there are. */
export const everything = ({ live, liveItems }: ItemIndex): Selection => ({ items: live, count: liveItems })

/** What passes the filters, decided on columns and labels in memory. `places`: null for every collection. */
export function select(index: ItemIndex, query: SearchQuery, places: ReadonlySet<number> | null): Selection {
  const { mediaTypes, createdAfter, createdBefore, topics, entities } = query.filters
  const marks: Uint8Array[] = []
  if (topics) marks.push(labelled(index, topics.map(topicLabel)))
  for (const kind of ENTITY_KINDS) {
    const names = entities?.[kind]
    if (names)
      marks.push(
        labelled(
          index,
          names.map((name) => entityLabel(kind, name)),
        ),
      )
  }
  const isDated = createdAfter !== undefined || createdBefore !== undefined
  if (!places && !mediaTypes && !isDated && marks.length === 0) return everything(index)

  const ofType = Uint8Array.from(MEDIA_TYPES, (type) => (!mediaTypes || mediaTypes.includes(type) ? 1 : 0))
  const inPlace = Uint8Array.from(index.placeKeys, (key) => (!places || places.has(key) ? 1 : 0))
  const after = createdAfter ?? -Infinity
  const before = createdBefore ?? Infinity
  const items = new Uint8Array(index.items)
  let count = 0
  for (let item = 0; item < index.items; item++) {
    if (index.live[item] === 0 || ofType[index.types[item]!] === 0) continue
    if (index.createdAt[item]! < after || index.createdAt[item]! > before) continue
    if (inPlace[index.places[item]!] === 0) continue
    if (!marks.every((mark) => mark[item] === 1)) continue
    items[item] = 1
    count++
  }
  return { items, count }
}

/** The items whose score the query's modality raises; null for none at all. */
export function preferred(index: ItemIndex, { modality }: SearchQuery): ((item: number) => boolean) | null {
  if (!modality || modality.weight === 0) return null
  const type = MEDIA_TYPES.indexOf(modality.type)
  const features = modality.features.map((feature) => labelled(index, [featureLabel(feature)]))
  return (item) => index.types[item] === type && features.every((marks) => marks[item] === 1)
}

/** Marks the items that have any of the labels. */
function labelled(index: ItemIndex, labels: readonly string[]): Uint8Array {
  const marks = new Uint8Array(index.items)
  for (const { low, high } of labels.map(termOf)) {
    const postings = index.labels.of(index.labels.find(low, high))
    for (let at = 0; at < postings.length; at++) marks[slotOf(postings[at]!)] = 1
  }
  return marks
}
