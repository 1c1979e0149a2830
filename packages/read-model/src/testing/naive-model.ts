import type {
  AdvancedQuery,
  CatalogChange,
  QueryVector,
  SearchHit,
  SearchQuery,
  SimilarQuery,
} from '@medialog/application/ports'
import type { Uuid } from '@medialog/kernel'
import { charactersOf, termsOf, words } from '../analysis/words.ts'
import { labelsOf, topicLabel } from '../search/labels.ts'
import { semanticScore } from '../search/scorer.ts'
import { exactScore, type AnalysedChunk } from './exact-score.ts'
import { product } from './items.ts'
import { withConnections, type NaiveFound } from './naive-connections.ts'
import type { NaiveItem } from './naive-item.ts'

/** What the catalog should hold, in the plainest words: a map that changes are applied to in order, each once. */
export class NaiveModel {
  readonly items = new Map<Uuid, NaiveItem>()
  readonly #ended = new Set<string>()

  apply(change: CatalogChange): void {
    switch (change.type) {
      case 'PutItem': {
        const { collection, createdAt, mediaId } = change.item
        this.items.set(mediaId, { change, collection, generation: change.generation, createdAt })
        return
      }
      case 'ReplaceItem': {
        const before = this.items.get(change.item.mediaId)!
        const place = change.collection
          ? { collection: change.collection.id, generation: change.collection.generation }
          : { collection: before.collection, generation: before.generation }
        this.items.set(change.item.mediaId, { change, createdAt: before.createdAt, ...place })
        return
      }
      case 'ReplaceVectors': {
        const { vectors, revision } = change
        const before = this.items.get(change.mediaId)!
        const item = { ...before.change.item, revision }
        this.items.set(change.mediaId, { ...before, change: { ...before.change, item, vectors } })
        return
      }
      case 'RemoveItem':
        this.items.delete(change.mediaId)
        return
      case 'MoveItems':
        for (const mediaId of change.mediaIds) {
          const item = this.items.get(mediaId)
          if (item) {
            item.collection = change.collection
            item.generation = change.generation
          }
        }
        return
      case 'EndCollection':
        this.#ended.add(`${change.accountId}/${change.collection}/${change.generation}`)
        return
      case 'EraseNames':
        return
    }
  }

  isLive({ change, collection, generation }: NaiveItem): boolean {
    return !this.#ended.has(`${change.item.accountId}/${collection}/${generation}`)
  }

  /** Newest first, then by id. */
  live(accountId: Uuid): NaiveItem[] {
    return [...this.items.values()]
      .filter((item) => item.change.item.accountId === accountId && this.isLive(item))
      .sort((a, b) => b.createdAt - a.createdAt || (a.change.item.mediaId < b.change.item.mediaId ? -1 : 1))
  }

  /** Items within reach of the query, best first: see search and connections.ts. */
  advanced(query: AdvancedQuery): NaiveFound[] {
    const everything = this.search({ ...query, collections: null, filters: {}, minScore: 0 }, true)
    const passing = new Set(this.search({ ...query, minScore: 0 }, true).map(({ mediaId }) => mediaId))
    return withConnections(this.live(query.accountId), everything, query)
      .filter(({ mediaId, score }) => passing.has(mediaId) && score > 0 && score >= query.minScore)
      .sort((a, b) => b.score - a.score)
  }

  /** Every other item that passes, by the cosine of the combined vectors; null without the reference. */
  similar(query: SimilarQuery): { mediaId: Uuid; score: number }[] | null {
    const items = this.live(query.accountId)
    const reference = items.find(({ change }) => change.item.mediaId === query.mediaId)
    if (!reference) return null
    const { model, combined: vector } = reference.change.vectors
    const asked = [{ model, vector, cosineFloor: query.cosineFloor }, ...query.others]
    return items
      .filter((item) => item !== reference)
      .filter((item) => !query.collections || query.collections.includes(item.collection))
      .filter(({ change }) => query.mediaType === null || change.item.mediaType === query.mediaType)
      .map(({ change: { item, vectors } }) => {
        const score = semanticOf(vectors.model, [vectors.combined], asked)
        return { mediaId: item.mediaId, score }
      })
      .filter(({ score }) => score > 0 && score >= query.minScore)
      .sort((a, b) => b.score - a.score)
  }

  /** Every item that passes topics and collections, scored by the formulas alone, best first; `all`: those at 0 too. */
  search(query: SearchQuery, all = false): Pick<SearchHit, 'mediaId' | 'score' | 'lexical' | 'semantic'>[] {
    const items = this.live(query.accountId)
    const chunks = new Map(
      items.map((item) => [item, item.change.content.chunks.map(({ text }) => countedTerms(text))]),
    )
    const terms = [...new Set([...words(query.text)].flatMap(termsOf))]
    const exact = exactScore(query, terms, [...chunks.values()].flat())
    return items
      .filter((item) => !query.collections || query.collections.includes(item.collection))
      .filter((item) => !query.filters.topics || hasTopic(item, query.filters.topics))
      .map((item) => {
        const { mediaId } = item.change.item
        const { model, combined, chunks: ofChunks } = item.change.vectors
        const bm25 = Math.max(0, ...chunks.get(item)!.map((chunk) => exact.bm25(chunk)))
        const semantic = semanticOf(model, [combined, ...ofChunks], query.vectors)
        return { mediaId, ...exact.score(bm25, semantic) }
      })
      .filter(({ score }) => all || (score > 0 && score >= query.minScore))
      .sort((a, b) => b.score - a.score)
  }
}

/** Of the best of the item's vectors, where its embedder was asked. */
function semanticOf(model: string, vectors: readonly Float32Array[], asked: readonly QueryVector[]): number {
  const one = asked.find((one) => one.model === model)
  if (!one) return 0
  const cosine = Math.max(...vectors.map((vector) => product(vector, one.vector)))
  return semanticScore(cosine, one.cosineFloor)
}

function countedTerms(text: string): AnalysedChunk<string> {
  const found = [...words(text)]
  const all = found.flatMap(termsOf)
  const terms = new Map<string, number>()
  for (const term of [...all, ...found.flatMap(charactersOf)]) terms.set(term, (terms.get(term) ?? 0) + 1)
  return { length: all.length, terms }
}

const hasTopic = (item: NaiveItem, topics: readonly string[]): boolean =>
  labelsOf(item.change.item).some((label) => topics.map(topicLabel).includes(label))
