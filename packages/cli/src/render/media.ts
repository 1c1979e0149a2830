import { counted, timecode } from '@medialog/kernel'
import type { DeletedBatch, ListedItem, MediaItem, MediaPage } from '../client/answers.ts'
import { bytes, localTime, seconds } from '../terminal/format.ts'
import type { Look } from '../terminal/look.ts'
import { pairs, table, type Column } from '../terminal/table.ts'
import { clean, wrap } from '../terminal/text.ts'
import { factsOf, list, names } from './facts.ts'

const idOf = ({ media_id: id }: ListedItem | MediaItem): string => clean(id)

const COLUMNS: Column<ListedItem>[] = [
  { title: 'ID', value: idOf, paint: (_, look) => look.accent },
  // The id's prefix says it too.
  { title: 'TYPE', value: (item) => clean(item.media_type), drops: true },
  { title: 'NAME', value: nameOf, shrinks: 'middle' },
  {
    title: 'COLLECTION',
    value: (item) => ('collection' in item && item.collection ? clean(item.collection) : ''),
    shrinks: 'end',
    drops: true,
  },
  {
    title: 'SIZE',
    value: (item) => ('file_info' in item && item.file_info ? bytes(item.file_info.size_bytes) : ''),
    align: 'right',
    drops: true,
  },
  {
    title: 'ADDED',
    value: (item) => localTime(item.storage.created_at),
    drops: true,
    paint: (_, look) => look.dim,
  },
]

/** Of a listing of the past: what is not known any more is said in its place. */
function nameOf(item: ListedItem): string {
  if ('erased' in item) return `erased ${localTime(item.erased_at)}`
  const name = item.file_info ? clean(item.file_info.filename) : ''
  return 'changed_since' in item ? `${name} (changed since)`.trimStart() : name
}

export function renderMediaPage(mediaPage: MediaPage, look: Look): string[] {
  const { items, pagination, as_of: asOf, undated } = mediaPage
  const { page, total_items: total, total_pages: pages, has_next: hasNext } = pagination
  const notes = undated
    ? [
        look.dim(
          `${counted(undated, 'item')} erased since, of which it is not known whether they were there.`,
        ),
      ]
    : []
  if (total === 0 && asOf) return [`Nothing was stored here on ${localTime(asOf)}.`, ...notes]
  if (total === 0) return ['Nothing is stored here yet. Add something with `medialog upload PATH`.']
  if (items.length === 0) return [`There is no page ${page}: the last one is ${pages}.`]
  const where = pages > 1 ? `Page ${page} of ${pages}, ${counted(total, 'item')}` : counted(total, 'item')
  return [
    ...table(items, COLUMNS, look),
    '',
    look.dim(hasNext ? `${where}. Next: --page ${page + 1}` : where),
    ...notes,
  ]
}

/** One item with everything that was asked for; texts are wrapped. */
export function renderMediaItem(item: MediaItem, look: Look): string[] {
  const search = item.metadata?.search
  const processing = item.status.processing_info
  const quality = search?.quality_metrics
  const width = Math.min(look.width, 100)
  return [
    look.bold(clean(item.file_info.filename)),
    ...pairs(
      present([
        ['id', look.accent(idOf(item))],
        ['type', clean(item.media_type)],
        ['facts', [bytes(item.file_info.size_bytes), factsOf(item.file_info)].filter(Boolean).join(', ')],
        ['collection', clean(item.collection)],
        ['state', clean(item.status.state) + (processing ? ` in ${seconds(processing.duration_ms)}` : '')],
        ['added', localTime(item.storage.created_at)],
        ['sha-256', clean(item.file_info.checksum)],
        ['topics', list(search?.semantic_markers.topics)],
        ['categories', list(search?.semantic_markers.categories)],
        ['emotions', list(search?.semantic_markers.emotions)],
        ['names', names(search?.entities)],
        [
          'quality',
          quality
            ? Object.entries(quality)
                .map(([name, value]) => `${clean(name)} ${value.toFixed(2)}`)
                .join(', ')
            : '',
        ],
        ['made by', list(Object.values(item.metadata?.processing?.models ?? {}))],
        ['sections', list(item.metadata?.modality?.structure?.sections?.map(({ title }) => title))],
        ['notes', (item.metadata?.processing?.warnings ?? []).map(clean).join(' ')],
      ]),
      look,
    ),
    ...section('Summary', search?.summary, width, look),
    ...section('Description', search?.description, width, look),
    ...chunks(item, width, look),
    ...vectors(item, look),
  ]
}

const present = (entries: [string, string][]): [string, string][] =>
  entries.filter(([, value]) => value !== '')

function section(title: string, text: string | undefined, width: number, look: Look): string[] {
  return text ? ['', look.bold(title), ...wrap(clean(text), width)] : []
}

function chunks({ content }: MediaItem, width: number, look: Look): string[] {
  if (!content) return []
  const said = (content.segments ?? []).map(({ start, text }) => `${timecode(start)}  ${clean(text)}`)
  return [
    ...content.chunks.flatMap((chunk, index) => section(`Chunk ${index}`, chunk, width, look)),
    ...(said.length > 0 ? ['', look.bold('Transcript'), ...said.flatMap((line) => wrap(line, width))] : []),
  ]
}

function vectors({ vectors: held }: MediaItem, look: Look): string[] {
  if (!held) return []
  const { combined, model, chunks: perChunk } = held
  const head = combined.slice(0, 8).map((number) => number.toFixed(4))
  return [
    '',
    look.bold('Vectors'),
    `${combined.length} numbers${model ? ` by ${clean(model)}` : ''}${perChunk ? `, and ${counted(perChunk.length, 'chunk vector')}` : ''}`,
    look.dim(`[${head.join(', ')}, …]  (all of them with --json)`),
  ]
}

export function renderDeleted({ deleted, failed }: DeletedBatch, look: Look): string[] {
  return [
    ...deleted.media_ids.map((id) => `${look.good('✓')} ${clean(id)} deleted`),
    ...failed.media_ids.map(
      (id) => `${look.bad('✗')} ${clean(id)}  ${clean(failed.reasons[id] ?? 'not deleted')}`,
    ),
    look.dim(
      `${counted(deleted.count, 'item')} and ${counted(deleted.hd_vectors + deleted.ld_vectors, 'vector')} deleted` +
        (failed.count > 0 ? `, ${failed.count} failed` : ''),
    ),
  ]
}
