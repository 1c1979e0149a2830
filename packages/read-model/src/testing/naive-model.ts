import type { CatalogChange, SearchHit, SearchQuery } from '@medialog/application/ports'
import type { Uuid } from '@medialog/kernel'
import { termsOf, words } from '../analysis/words.ts'
import { labelsOf, topicLabel } from '../search/labels.ts'
import {
  combinedScore,
  idf,
  lengthNorm,
  lexicalScale,
  lexicalScore,
  semanticScore,
  termScore,
} from '../search/scorer.ts'

type Ingested = Extract<CatalogChange, { type: 'PutItem' | 'ReplaceItem' }>

export interface NaiveItem {
  change: Ingested
  collection: string
  generation: number
  createdAt: number
}

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
      case 'RemoveItem':
        this.items.delete(change.mediaId)
        return
      case 'MoveItems':
        for (const mediaId of change.mediaIds) {
          const item = this.items.get(mediaId)
          if (item && this.isLive(item)) {
            item.collection = change.collection
            item.generation = change.generation
          }
        }
        return
      case 'EndCollection':
        this.#ended.add(`${change.accountId}/${change.collection}/${change.generation}`)
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

  /** Every item that passes topics and collections, scored by the formulas alone, best first. */
  search(query: SearchQuery): Pick<SearchHit, 'mediaId' | 'score' | 'lexical' | 'semantic'>[] {
    const items = this.live(query.accountId)
    const chunks = items.flatMap((item) => item.change.content.chunks.map((chunk) => analysed(chunk.text)))
    const average = chunks.reduce((sum, chunk) => sum + chunk.length, 0) / chunks.length
    const terms = [...new Set(analysed(query.text))]
    const rarity = new Map(
      terms.map((term) => [term, idf(chunks.length, chunks.filter((chunk) => chunk.includes(term)).length)]),
    )
    const scale = lexicalScale([...rarity.values()])
    const bm25 = (chunk: string[]): number => {
      const norm = lengthNorm(chunk.length, average)
      return terms.reduce((sum, term) => {
        const frequency = chunk.filter((other) => other === term).length
        return sum + termScore(rarity.get(term)!, frequency, norm)
      }, 0)
    }
    return items
      .filter((item) => !query.collections || query.collections.includes(item.collection))
      .filter((item) => !query.filters.topics || hasTopic(item, query.filters.topics))
      .map(({ change: { item, content, vectors } }) => {
        const lexical = lexicalScore(
          Math.max(0, ...content.chunks.map(({ text }) => bm25(analysed(text)))),
          scale,
        )
        const cosines = [vectors.combined, ...vectors.chunks].map((vector) => product(vector, query.vector))
        const semantic = semanticScore(Math.max(...cosines), query.cosineFloor)
        const score = combinedScore(query.lexicalWeight, lexical, semantic)
        return { mediaId: item.mediaId, score, lexical, semantic }
      })
      .filter(({ score }) => score > 0 && score >= query.minScore)
      .sort((a, b) => b.score - a.score)
  }
}

const analysed = (text: string): string[] => [...words(text)].flatMap(termsOf)

const hasTopic = (item: NaiveItem, topics: readonly string[]): boolean =>
  labelsOf(item.change.item).some((label) => topics.map(topicLabel).includes(label))

const product = (a: Float32Array, b: Float32Array): number =>
  a.reduce((sum, value, index) => sum + value * b[index]!, 0)
