import { counted } from '@medialog/kernel'
import type { HistoryEntry, MediaHistory, RequestHistory } from '../client/answers.ts'
import { dollars, localTime, money } from '../terminal/format.ts'
import type { Look } from '../terminal/look.ts'
import { pairs, table, type Column } from '../terminal/table.ts'
import { clean } from '../terminal/text.ts'

/** What happened to an item, a line an event, and what it comes to. */
export function renderMediaHistory(history: MediaHistory, look: Look): string[] {
  const { media_id: id, state, erased, entries } = history
  const cost = entries.reduce((sum, { posting }) => sum - money(posting?.amount ?? 0), 0n)
  const warnings = entries.flatMap(({ understanding }) => understanding?.warnings ?? [])
  return [
    ...table(entries, COLUMNS, look),
    '',
    ...pairs(
      [
        ['id', look.accent(clean(id))],
        ['state', clean(state) + (state === 'deleted' && erased ? ', and erased' : '')],
        ['cost', dollars(cost)],
      ],
      look,
    ),
    ...warnings.map((warning) => look.warn(clean(warning))),
  ]
}

/** What one request caused, a line an event, and its items. */
export function renderRequest(request: RequestHistory, look: Look): string[] {
  const { request_id: id, batch_id: batch, charged, refunded, items, entries } = request
  const entriesOfItems = items.map(
    ({ media_id: item, state, filename }) =>
      [look.accent(clean(item)), filename === undefined ? clean(state) : clean(filename)] as const,
  )
  return [
    ...table(entries, COLUMNS, look),
    '',
    ...pairs(
      [
        ['request', look.accent(clean(id))],
        ...(batch === undefined ? [] : [['batch', look.accent(clean(batch))] as const]),
        ['charged', dollars(charged)],
        ['refunded', dollars(refunded)],
        ['items', counted(items.length, 'item')],
        ...entriesOfItems,
      ],
      look,
    ),
  ]
}

const COLUMNS: Column<HistoryEntry>[] = [
  { title: 'WHEN', value: ({ at }) => localTime(at), paint: (_, { dim }) => dim },
  { title: 'EVENT', value: ({ event }) => clean(event) },
  {
    title: 'AMOUNT',
    value: ({ posting }) => (posting ? dollars(posting.amount) : ''),
    align: 'right',
    paint: ({ posting }, { good }) => (posting && posting.amount > 0 ? good : String),
  },
  { title: 'WHAT', value: whatOf, shrinks: 'end', drops: true },
  { title: 'BY', value: ({ actor }) => clean(actor), drops: true },
  {
    title: 'CAUSE',
    value: ({ batch_id: batch, request_id: request }) => clean(batch ?? request ?? ''),
    drops: true,
    paint: (_, { accent }) => accent,
  },
]

function whatOf({ operation, filename, collection, understanding, cost, reason }: HistoryEntry): string {
  return [
    operation,
    filename,
    collection === undefined ? undefined : `in ${collection}`,
    understanding?.enricher,
    understanding?.embedder,
    cost === undefined ? undefined : `cost ${dollars(cost)}`,
    reason,
  ]
    .filter((part) => part !== undefined)
    .map(clean)
    .join(', ')
}
