import { counted, timecode } from '@medialog/kernel'
import { z } from 'zod'
import { collectionNames, listed, maxResults, mediaId, ofType } from '../fields.ts'
import { payment, tool } from '../tool.ts'
import { around, clipped, facts } from '../wording.ts'

/** Characters of a passage in an answer: ten results have at most 6 000. */
const PASSAGE = 380

const at = z.string().optional().describe('When the passage is said in a recording or film: `12:41`.')

const timeOf = ({ time }: { time?: { start: number } | undefined }): { at?: string } =>
  time ? { at: timecode(time.start) } : {}

export const search = tool({
  name: 'search',
  title: 'Search stored items',
  description:
    'Finds items by words and by meaning, best first, each with the passage that matches and a score from 0 to 1 that means the same everywhere. Free.',
  needs: 'read',
  idempotent: true,
  input: z.strictObject({
    query: z.string().min(1).max(10_000).describe('Words, or a question.'),
    collection: collectionNames,
    media_type: ofType,
    max_results: maxResults,
    min_score: z.number().min(0).max(1).default(0.1).describe('What scores less is left out.'),
  }),
  output: z.strictObject({
    results: z.array(z.strictObject({ ...listed, score: z.number(), passage: z.string(), at })),
  }),
  async call(client, { query, collection, media_type: type, max_results, min_score }, { signal }) {
    const found = await client.search(
      {
        query,
        collections: collection ?? 'all',
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
      score: rounded(result.score),
      passage: around(result.passage.text, result.score_parts.matched_terms, PASSAGE),
      ...timeOf(result.passage),
    }))
    const lines = results.map(
      ({ media_id, filename, collection, score, passage, at: time }, place) =>
        `${place + 1}. ${facts(clipped(filename, 60), media_id, collection, `score ${score}`, time && `at ${time}`)}\n${passage}`,
    )
    const text = [lines.length > 0 ? `${counted(lines.length, 'result')}:` : 'Nothing was found.', ...lines]
    return { cost: found.cost, data: { results }, text: text.join('\n'), quotes: true }
  },
})

/** To a thousandth: a model needs no more digits. */
const rounded = (score: number): number => Math.round(score * 1_000) / 1_000

export const ask = tool({
  name: 'ask',
  title: 'Ask what is stored a question',
  description: (costs) =>
    `Answers from stored items, with the passages that it cites as sources, or says that there is no answer. ${costs}, more above 10 000 tokens in or 2 500 out.`,
  needs: 'read',
  paid: true,
  input: z.strictObject({
    question: z.string().min(1).max(100_000).describe('The question.'),
    collection: collectionNames,
    media_id: mediaId.optional().describe('Answer from this item alone.'),
    context: z
      .string()
      .max(400_000)
      .optional()
      .describe('The conversation so far, by which the question is understood. No answer quotes it.'),
    ...payment,
  }),
  output: z.strictObject({
    answer: z.string(),
    sources: z.array(
      z.strictObject({
        media_id: z.string(),
        filename: z.string(),
        collection: z.string(),
        passage: z.string(),
        at,
      }),
    ),
  }),
  async call(client, { question, collection, media_id: item, context }, { signal, onProgress, paying }) {
    const asked = {
      query: question,
      context,
      media_id: item?.replace(/^[a-z]{3}_/, 'vec-'),
      collections: collection,
    }
    let written = 0
    for await (const piece of client.askInPieces(asked, { signal, ...paying })) {
      if (piece.type === 'delta') {
        written += piece.text.length
        onProgress({ progress: written, message: 'The answer is being written.' })
        continue
      }
      const { response, sources: cited, billing } = piece.answer
      const sources = cited.map(({ media_id, filename, collection: place, text, time }) => ({
        media_id,
        filename,
        collection: place,
        passage: clipped(text, PASSAGE),
        ...timeOf({ time }),
      }))
      const lines = sources.map(
        ({ media_id, filename, collection: place, at: time }, number) =>
          `[${number + 1}] ${facts(clipped(filename, 60), media_id, place, time && `at ${time}`)}`,
      )
      return {
        cost: billing.total_cost,
        repeated: piece.replayed,
        data: { answer: response, sources },
        text: [response, ...(lines.length > 0 ? ['Sources:', ...lines] : [])].join('\n'),
        quotes: true,
      }
    }
    throw new Error('The answer has no end.')
  },
})

export const similar = tool({
  name: 'similar',
  title: 'Find items similar to one',
  description: (costs) =>
    `Finds items whose content is like that of a given one, best first. ${costs}, also where nothing is similar.`,
  needs: 'read',
  paid: true,
  input: z.strictObject({
    media_id: mediaId,
    collection: collectionNames,
    media_type: ofType,
    max_results: maxResults,
    ...payment,
  }),
  output: z.strictObject({
    results: z.array(z.strictObject({ ...listed, score: z.number(), why: z.string() })),
  }),
  async call(client, { media_id: reference, collection, media_type: type, max_results }, { signal, paying }) {
    const { data: found, replayed: repeated } = await client.call(
      'findSimilar',
      {
        media_id: reference,
        collections: collection ?? 'all',
        max_results,
        modality_filter: type ?? null,
      },
      { signal, ...paying },
    )
    const results = found.results.map((result) => ({
      media_id: result.media_id,
      media_type: result.metadata.media_type,
      filename: result.metadata.file_info.filename,
      collection: result.collection,
      score: rounded(result.score),
      why: clipped(result.relevance_explanation, 300),
    }))
    const lines = results.map(
      ({ media_id, filename, collection: place, score, why }, number) =>
        `${number + 1}. ${facts(clipped(filename, 60), media_id, place, `score ${score}`)}\n${why}`,
    )
    const text = [
      lines.length > 0 ? `${counted(lines.length, 'similar item')}:` : 'No other item is similar to it.',
      ...lines,
    ]
    return { cost: found.cost, repeated, data: { results }, text: text.join('\n'), quotes: true }
  },
})
