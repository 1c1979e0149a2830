import { z } from 'zod'
import { payment, tool } from '../tool.ts'

const mediaType = z.enum(['document', 'image', 'video', 'audio', 'model'])
const mediaId = z
  .string()
  .min(1)
  .max(200)
  .describe('An item’s id, as other tools give it: doc_…, img_…, vec-…')
const collections = z
  .array(z.string().min(1).max(64))
  .min(1)
  .max(100)
  .optional()
  .describe('Look in these collections only; in all of them unless given.')
const most = z.int().min(1).max(50).default(10).describe('Results.')

export const search = tool({
  name: 'search',
  title: 'Search stored items',
  description:
    'Finds items by words and by meaning, best first, each with the passage that matches and a score from 0 to 1 that means the same everywhere. Free.',
  needs: 'read',
  idempotent: true,
  input: z.object({
    query: z.string().min(1).max(10_000),
    collections,
    media_type: mediaType.optional(),
    max_results: most,
    min_score: z.number().min(0).max(1).default(0.1).describe('What scores less is left out.'),
  }),
  async call(client, { query, collections, media_type: type, max_results, min_score }, { signal }) {
    const found = await client.search(
      {
        query,
        collections: collections ?? 'all',
        max_results,
        min_score,
        ...(type && { filters: { media_type: type } }),
      },
      { signal },
    )
    const results = found.results.map((result) => ({
      media_id: result.media_id,
      media_type: result.media_type,
      filename: result.metadata.file_info.filename,
      collection: result.collection,
      score: result.score,
      passage: result.passage.text,
    }))
    return { cost: found.cost, data: { results }, quotes: true }
  },
})

export const ask = tool({
  name: 'ask',
  title: 'Ask what is stored a question',
  description:
    'Answers from stored items, with the passages that it cites as sources, or says that there is no answer. Costs 0.01 USD, more above 10 000 tokens in or 2 500 out.',
  needs: 'read',
  paid: true,
  input: z.object({
    question: z.string().min(1),
    media_id: mediaId.optional().describe('Answer from this item alone.'),
    context: z.string().optional().describe('What was said before.'),
    ...payment,
  }),
  async call(client, { question, media_id: item, context }, { signal, onProgress, paying }) {
    const asked = { query: question, context, media_id: item?.replace(/^[a-z]{3}_/, 'vec-') }
    let written = 0
    for await (const piece of client.askInPieces(asked, { signal, ...paying })) {
      if (piece.type === 'delta') {
        written += piece.text.length
        onProgress({ progress: written, message: 'The answer is being written.' })
        continue
      }
      const { response, sources, billing } = piece.answer
      const { replayed: repeated } = piece
      return { cost: billing.total_cost, repeated, data: { answer: response, sources }, quotes: true }
    }
    throw new Error('The answer has no end.')
  },
})

export const similar = tool({
  name: 'similar',
  title: 'Find items similar to one',
  description: 'Finds items whose content is like that of a given one, best first. Costs a price.',
  needs: 'read',
  paid: true,
  input: z.object({
    media_id: mediaId,
    collections,
    media_type: mediaType.optional(),
    max_results: most,
    ...payment,
  }),
  async call(client, { media_id, collections, media_type: type, max_results }, { signal, paying }) {
    const { data: found, replayed: repeated } = await client.call(
      'findSimilar',
      { media_id, collections: collections ?? 'all', max_results, modality_filter: type ?? null },
      { signal, ...paying },
    )
    const results = found.results.map(
      ({ media_id: id, score, collection, metadata, relevance_explanation: why }) => ({
        media_id: id,
        media_type: metadata.media_type,
        filename: metadata.file_info.filename,
        collection,
        score,
        why,
      }),
    )
    return { cost: found.cost, repeated, data: { results }, quotes: true }
  },
})

/** What an agent can read at once. */
const LONGEST_TEXT = 20_000

export const getItem = tool({
  name: 'get_item',
  title: 'Read an item',
  description:
    'What is known of one item: file facts, summary, topics, entities, and its text, piece by piece where that is long. Free.',
  needs: 'read',
  idempotent: true,
  input: z.object({
    media_id: mediaId,
    text_offset: z.int().min(0).default(0).describe('Where the text is to begin, in characters.'),
    text_length: z.int().min(0).max(LONGEST_TEXT).default(LONGEST_TEXT).describe('0: without its text.'),
  }),
  async call(client, { media_id, text_offset: start, text_length: length }, { signal }) {
    const {
      content,
      vectors: _,
      ...item
    } = await client.readMedia({ media_id, include_chunks: length > 0 }, { signal })
    const text = content?.text ?? ''
    const shown = text.slice(start, start + length)
    const isMore = start + shown.length < text.length
    return {
      cost: 0,
      data: {
        ...item,
        ...(content && {
          summary: content.summary,
          text: shown,
          text_characters: text.length,
          ...(isMore && { next_text_offset: start + shown.length }),
        }),
      },
      quotes: true,
    }
  },
})

export const listItems = tool({
  name: 'list_items',
  title: 'List stored items',
  description: 'Stored items, newest first, page by page. Free.',
  needs: 'read',
  idempotent: true,
  input: z.object({
    collection: z.string().min(1).max(64).optional(),
    media_type: mediaType.optional(),
    as_of: z.string().optional().describe('What was stored at that time: ISO 8601.'),
    page_size: z.int().min(1).max(100).default(20),
    after: z.string().optional().describe('`next` of the page before.'),
    page: z.int().min(1).optional().describe('With as_of, instead of after.'),
  }),
  async call(client, input, { signal }) {
    const { items, pagination } = await client.listMedia(input, { signal })
    const shown = items.map((item) => ({
      media_id: item.media_id,
      media_type: item.media_type,
      created_at: item.storage.created_at,
      ...('collection' in item && item.collection !== undefined && { collection: item.collection }),
      ...('file_info' in item && item.file_info && { filename: item.file_info.filename }),
      ...('erased' in item && { erased_at: item.erased_at }),
    }))
    const { total_items, has_next, next } = pagination
    return {
      cost: 0,
      data: { items: shown, total_items, has_next, ...(next !== undefined && { next }) },
      quotes: true,
    }
  },
})
