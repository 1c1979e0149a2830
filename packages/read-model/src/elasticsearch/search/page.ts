import type { SearchHit } from '@medialog/application/ports'
import type { Uuid } from '@medialog/kernel'
import type { QueryWord } from '../../analysis/analyzer.ts'
import { tokenOf, type ChunkDocument } from '../catalog/documents.ts'
import type { Query } from '../query.ts'
import { spaceOf } from '../catalog/mapping.ts'
import { chunkScore } from './queries.ts'
import { ofMedia, type ScoredItem, type Scoring } from './scoring.ts'

type Shown = Pick<SearchHit, 'matchedTerms' | 'passage'>
const BY_WORDS = 'words'
const NO_PASSAGE = { text: '', chunk: 0 }

/** The items as hits: each with the passage that scores best by itself, and the words of the query that it holds. */
export async function described<Item extends ScoredItem>(
  scoring: Scoring,
  words: readonly QueryWord[],
  items: readonly Item[],
): Promise<(Item & Shown)[]> {
  if (items.length === 0) return []
  const { library, terms } = scoring
  const { hits } = await library.search<never>({
    size: items.length,
    _source: false,
    docvalue_fields: ['media', 'space'],
    query: {
      bool: {
        filter: [
          ofMedia(
            library,
            items.map(({ mediaId }) => mediaId),
          ),
        ],
        should: [
          ...passages(scoring),
          ...terms.terms.map(({ token }) => ({
            nested: { path: 'chunks', query: { term: { 'chunks.terms': token } }, _name: token },
          })),
        ],
      },
    },
  })
  const shown = new Map<Uuid, Shown>()
  for (const { fields, inner_hits, matched_queries } of hits.hits) {
    const held = new Set(matched_queries as string[] | undefined)
    shown.set(fields!['media'][0], {
      matchedTerms: matched(words, held),
      passage: passageIn(inner_hits!, fields!['space']?.[0] ?? BY_WORDS),
    })
  }
  return items.map((item) => ({
    ...item,
    ...(shown.get(item.mediaId) ?? { matchedTerms: [], passage: NO_PASSAGE }),
  }))
}

/** What an answer says of a described item: nothing that was only needed on the way. */
export const hitOf = ({
  mediaId,
  score,
  lexical,
  semantic,
  matchedTerms,
  passage,
}: SearchHit): SearchHit => ({
  mediaId,
  score,
  lexical,
  semantic,
  matchedTerms,
  passage,
})

/** The best passage as each embedder has the query, and by words alone: of each item one of them holds, by its space. */
function passages({ asked, terms, query }: Scoring): Query[] {
  const { lexicalWeight } = query
  const best = (of: { field: string; vector: number[]; floor: number } | null, name: string): Query => ({
    nested: {
      path: 'chunks',
      query: chunkScore({ ...terms, lexicalWeight, asked: of }),
      inner_hits: {
        name,
        size: 1,
        sort: [{ _score: { order: 'desc' } }, { 'chunks.ordinal': 'asc' }],
        _source: ['chunks.text', 'chunks.ordinal'],
      },
    },
  })
  return [
    ...asked.map(({ space, vector, floor }) => best({ field: spaceOf(space).chunks, vector, floor }, space)),
    best(null, BY_WORDS),
  ]
}

function passageIn(
  innerHits: Record<string, { hits: { hits: { _source?: unknown }[] } }>,
  space: string,
): SearchHit['passage'] {
  const [found] = (innerHits[space] ?? innerHits[BY_WORDS]!).hits.hits
  if (!found) return NO_PASSAGE
  const { text, ordinal } = found._source as Pick<ChunkDocument, 'text' | 'ordinal'>
  return { text, chunk: ordinal }
}

/** The words at least half of whose terms the item holds. */
const matched = (words: readonly QueryWord[], held: ReadonlySet<string>): string[] =>
  words
    .filter(({ terms }) => terms.filter((term) => held.has(tokenOf(term))).length * 2 >= terms.length)
    .map(({ word }) => word)
