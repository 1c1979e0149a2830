import type { Client, DataOf } from '@medialog/client'
import { placeText } from '@medialog/contract/http/media'
import { counted } from '@medialog/kernel'
import { z } from 'zod'
import {
  collectionName,
  cursor,
  instant,
  listed,
  mediaId,
  mediaType,
  nextCursor,
  NO_CURSOR,
  ofType,
} from '../fields.ts'
import { tool } from '../tool.ts'
import { clipped, facts, more, wholeAt } from '../wording.ts'
import { timed, timesOf } from './said.ts'

/** What an agent can read at once, and reads unless it asks for more or less. */
const LONGEST_TEXT = 20_000
const USUAL_TEXT = 6_000

const DETAILS = ['headings', 'file_metadata', 'hashes', 'vectors'] as const

const itemData = z.strictObject({
  ...listed,
  created_at: z.string(),
  size_bytes: z.int(),
  facts: z.record(z.string(), z.string()).describe('Pages, seconds, pixels …'),
  summary: z.string(),
  topics: z.array(z.string()),
  names: z.array(z.string()).describe('People, organizations and places.'),
  warnings: z.array(z.string()).optional().describe('What was not read, or how it was made.'),
  text: z.string().optional(),
  text_characters: z.int().optional().describe('Of the whole text.'),
  next_text_offset: z.int().optional().describe('Where the rest of the text begins; absent at its end.'),
  times: z
    .array(z.strictObject({ text_offset: z.int(), at: z.string() }))
    .optional()
    .describe('Of what is said: when the text from there on is, about every half minute.'),
  headings: z.array(z.string()).optional(),
  file_metadata: z.record(z.string(), z.string()).optional(),
  hashes: z.strictObject({ sha256: z.string() }).optional(),
  vectors: z
    .strictObject({ model: z.string(), dimensions: z.int(), combined: z.array(z.number()) })
    .optional(),
})

export const getItem = tool({
  name: 'get_item',
  title: 'Read an item',
  description:
    'What is known of one item: file facts, summary, topics, names, and its text, piece by piece where that is long. Free.',
  needs: 'read',
  idempotent: true,
  input: z.strictObject({
    media_id: mediaId,
    text_offset: z
      .int()
      .min(0)
      .max(1_000_000_000)
      .default(0)
      .describe('Where the text is to begin, in characters: `next_text_offset` of the piece before.'),
    text_length: z
      .int()
      .min(0)
      .max(LONGEST_TEXT)
      .default(USUAL_TEXT)
      .describe('How many characters of the text at most; 0 for none.'),
    include: z
      .array(z.enum(DETAILS))
      .max(DETAILS.length)
      .default([])
      .describe('What else to tell: headings of the text, EXIF and tags of the file, hashes, vectors.'),
  }),
  output: itemData,
  async call(client, { media_id, text_offset: start, text_length: length, include }, { signal }) {
    const item = await client.readMedia(
      { media_id, include_chunks: length > 0, include_vectors: include.includes('vectors') },
      { signal },
    )
    const { content, file_info: file, metadata, vectors } = item
    const about = metadata!.search
    const { structure, visual_attributes: visual, stream_attributes: stream } = metadata!.modality
    const data = {
      media_id: item.media_id,
      media_type: item.media_type,
      filename: file.filename,
      collection: item.collection,
      created_at: item.storage.created_at,
      size_bytes: file.size_bytes,
      facts: factsOf(file),
      summary: clipped(about.summary || about.description, 700),
      topics: about.semantic_markers.topics.slice(0, 10),
      names: [...about.entities.people, ...about.entities.organizations, ...about.entities.locations].slice(
        0,
        20,
      ),
      ...(metadata!.processing.warnings.length > 0 && { warnings: metadata!.processing.warnings }),
      ...(content && length > 0 && pieceOf(content, start, length)),
      ...(include.includes('headings') && { headings: structure.sections.map(({ title }) => title) }),
      ...(include.includes('file_metadata') && {
        file_metadata: inText({ ...visual?.exif, ...stream?.tags }),
      }),
      ...(include.includes('hashes') && { hashes: { sha256: file.checksum } }),
      ...(vectors && {
        vectors: { model: vectors.model, dimensions: vectors.dimensions, combined: [...vectors.combined] },
      }),
    }
    return { cost: 0, data, text: itemText(data, start), quotes: true }
  },
})

/** Facts of a file that have one value each: pages, seconds, pixels. */
function factsOf(file: object): Record<string, string> {
  const own = new Set(['filename', 'size_bytes', 'checksum', 'processed_at', 'media_type'])
  const shown = Object.entries(file).flatMap(([name, value]: [string, unknown]) => {
    if (own.has(name)) return []
    const text = name === 'dimensions' ? Object.values(value as object).join(' × ') : value
    return typeof text === 'string' || typeof text === 'number' ? [[name, text] as const] : []
  })
  return inText(Object.fromEntries(shown))
}

const inText = (values: Readonly<Record<string, string | number>>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]))

type Content = NonNullable<Extract<DataOf<'readMedia'>, { content?: unknown }>['content']>

function pieceOf({ text: whole, segments = [] }: Content, start: number, length: number) {
  const within = wholeAt(whole, Math.min(whole.length, start + length))
  // At least one character, also where that takes two units.
  const end = within > start ? within : Math.min(whole.length, Math.max(start, wholeAt(whole, start + 2)))
  const text = whole.slice(start, end)
  const times = timesOf(whole, segments).filter(({ text_offset: place }) => place >= start && place < end)
  return {
    text,
    ...(times.length > 0 && { times }),
    text_characters: whole.length,
    ...(text !== '' && end < whole.length && { next_text_offset: end }),
  }
}

type Item = z.output<typeof itemData>

function itemText(item: Item, start: number): string {
  const { text, text_characters: whole = 0, next_text_offset: next } = item
  const range =
    text === undefined
      ? []
      : text === ''
        ? [
            whole === 0
              ? 'It has no text.'
              : `Its text ends at character ${whole}, before text_offset ${start}.`,
          ]
        : [
            `Text, characters ${start} to ${start + text.length} of ${whole}:`,
            timed(text, start, item.times ?? []),
            next === undefined ? 'The text ends here.' : `The text goes on at text_offset ${next}.`,
          ]
  const { headings, file_metadata: fileMetadata, hashes, vectors } = item
  return [
    facts(
      clipped(item.filename, 120),
      item.media_id,
      item.media_type,
      `in ${item.collection}`,
      `stored ${item.created_at}`,
      `${item.size_bytes} bytes`,
      ...Object.entries(item.facts).map(([name, value]) => `${name} ${value}`),
    ),
    item.summary && `Summary: ${item.summary}`,
    item.topics.length > 0 && `Topics: ${clipped(item.topics.join(', '), 300)}`,
    item.names.length > 0 && `Names: ${clipped(item.names.join(', '), 400)}`,
    ...(item.warnings ?? []).slice(0, 3).map((warning) => `Note: ${clipped(warning, 150)}`),
    headings && `Headings: ${headings.join(' | ')}`,
    fileMetadata &&
      `File: ${facts(...Object.entries(fileMetadata).map(([name, value]) => `${name} ${value}`))}`,
    hashes && `SHA-256: ${hashes.sha256}`,
    vectors && `Vector of ${vectors.dimensions} numbers by ${vectors.model}: see the data.`,
    ...range,
  ]
    .filter(Boolean)
    .join('\n')
}

/** A page of a list in time is named by its number, one of now by where it begins. */
const PAGE = /^page_(\d{1,9})$/

export const listItems = tool({
  name: 'list_items',
  title: 'List stored items',
  description: 'Stored items, newest first, page by page. Free.',
  needs: 'read',
  idempotent: true,
  input: z
    .strictObject({
      collection: collectionName.optional().describe('Items of this collection only.'),
      media_type: ofType,
      as_of: instant.optional().describe('What was stored at that time, such as 2026-11-20T13:00:00Z.'),
      page_size: z.int().min(1).max(100).default(20).describe('Items a page.'),
      cursor,
    })
    .refine(
      ({ cursor: page = 'page_1', as_of: asOf }) =>
        PAGE.test(page) || (asOf === undefined && placeText.safeParse(page).success),
      { path: ['cursor'], error: NO_CURSOR },
    ),
  output: z.strictObject({
    items: z.array(
      z.strictObject({
        media_id: z.string(),
        media_type: mediaType,
        created_at: z.string(),
        collection: z.string().optional(),
        filename: z.string().optional(),
        erased_at: z.string().optional().describe('With as_of: it was erased since.'),
      }),
    ),
    total_items: z.int(),
    next_cursor: nextCursor,
  }),
  async call(client, { cursor: after, ...input }, { signal }) {
    const page = PAGE.exec(after ?? '')?.[1]
    const { items, pagination } = await itemsOf(
      client,
      { ...input, ...(page ? { page: Number(page) } : { after }) },
      signal,
    )
    const shown = items.map((item) => ({
      media_id: item.media_id,
      media_type: item.media_type,
      created_at: item.storage.created_at,
      ...('collection' in item && item.collection !== undefined && { collection: item.collection }),
      ...('file_info' in item && item.file_info && { filename: item.file_info.filename }),
      ...('erased' in item && { erased_at: item.erased_at }),
    }))
    const { total_items, has_next, next } = pagination
    const nextPage = next ?? (has_next ? `page_${pagination.page + 1}` : undefined)
    const lines = shown.map(({ media_id, filename, collection, created_at, erased_at }) =>
      facts(
        clipped(filename ?? '(its name is erased)', 80),
        media_id,
        collection,
        created_at,
        erased_at && `erased ${erased_at}`,
      ),
    )
    return {
      cost: 0,
      data: { items: shown, total_items, ...(nextPage !== undefined && { next_cursor: nextPage }) },
      text: [`${counted(total_items, 'item')}, newest first:`, ...lines, ...more(nextPage)].join('\n'),
      quotes: true,
    }
  },
})

/** A page of items. @throws Refused COLLECTION_NOT_FOUND where their collection has none now; `default` is always there */
export async function itemsOf(
  client: Client,
  query: NonNullable<Parameters<Client['listMedia']>[0]>,
  signal: AbortSignal,
): Promise<DataOf<'listMedia'>> {
  const page = await client.listMedia(query, { signal })
  const { collection = 'default', as_of: asOf } = query
  if (page.pagination.total_items === 0 && collection !== 'default' && asOf === undefined)
    await client.readCollection({ collection_id: collection }, { signal })
  return page
}

const COLLECTIONS_A_PAGE = 100

export const listCollections = tool({
  name: 'list_collections',
  title: 'List collections',
  description: 'The collections that items are in, with how many of which type each has. Free.',
  needs: 'read',
  idempotent: true,
  input: z.strictObject({ cursor }),
  output: z.strictObject({
    collections: z.array(
      z.strictObject({
        collection: z.string(),
        items: z.int(),
        by_type: z.record(z.string(), z.int()),
        created_at: z.string(),
      }),
    ),
    total_collections: z.int(),
    next_cursor: nextCursor,
  }),
  async call(client, { cursor: after }, { signal }) {
    const { names, details, next } = await collectionsAfter(client, after, signal)
    const collections = names.map((name) => {
      const { item_count, media_type_distribution, created_at } = details[name]!
      return { collection: name, items: item_count, by_type: { ...media_type_distribution }, created_at }
    })
    const total = Object.keys(details).length
    const lines = collections.map(({ collection, items, by_type: types }) =>
      facts(
        collection,
        counted(items, 'item'),
        Object.entries(types)
          .map(([type, count]) => `${type} ${count}`)
          .join(', '),
      ),
    )
    return {
      cost: 0,
      data: { collections, total_collections: total, ...(next !== undefined && { next_cursor: next }) },
      text: [`${counted(total, 'collection')}:`, ...lines, ...more(next)].join('\n'),
    }
  },
})

/** A page of the account's collections, by name: those after the one that the cursor names. */
export async function collectionsAfter(client: Client, cursor: string | undefined, signal: AbortSignal) {
  const { collection_details: details } = await client.listCollections({}, { signal })
  const all = Object.keys(details).toSorted()
  const left = cursor === undefined ? all : all.filter((name) => name > cursor)
  const names = left.slice(0, COLLECTIONS_A_PAGE)
  return { names, details, next: left.length > names.length ? names.at(-1) : undefined }
}
