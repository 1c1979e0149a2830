import { connectingLabels, RELATIONS, type Connection, type LabelKind } from '@medialog/application/ports'
import type { Uuid } from '@medialog/kernel'
import {
  connectionRank,
  CONTENT_CANDIDATES,
  contentStrength,
  LEAST_STRENGTH,
  labelWeight,
  MOST_CONNECTIONS,
  MOST_SHARED,
} from '../../search/connection-scorer.ts'
import { RELATION_OF, rounded, type Edge } from '../../search/connections.ts'
import {
  catalogItemOf,
  contentId,
  hashed,
  ITEM_FIELDS,
  itemId,
  vectorsIn,
  type ContentDocument,
  type ItemFields,
} from '../catalog/documents.ts'
import { COLUMNS_ALONE, type Query } from '../query.ts'
import { spaceName, spaceOf } from '../catalog/mapping.ts'
import { BEST_FIRST, type Library } from './library.ts'
import { nearness, SHIFT } from './queries.ts'
import { ofMedia } from './ranking.ts'

/** A connection with what is shared, see Connection. */
export interface ConnectedBy extends Edge<Uuid> {
  shared: Connection['shared']
}

interface Label {
  kind: LabelKind
  token: string
  /** Place among the item's connecting labels. */
  place: number
}

/** An item as its connections are made from it. */
interface Source {
  media: Uuid
  type: string
  labels: Label[]
  space: string | null
  short: number[]
  combined: number[]
}

/** Items whose connections are looked for at the same time. */
const AT_ONCE = 30
const MOST_FILTERS = 500
const BY_CONTENT = RELATIONS.indexOf('similar_content')

/** What two items share by name, as connectionRank puts it; `nearness`: how much the short vectors' cosine counts. */
const RANK = `
  double[] left = new double[] { 1, 1, 1 };
  for (def link : doc['links']) {
    def label = params.labels.get(link);
    if (label != null) { int relation = (int) label[0]; left[relation] *= 1 - label[1]; }
  }
  double strength = 1 - Math.min(left[0], Math.min(left[1], left[2]));
  if (params.vector == null || doc['space'].size() == 0 || !doc['space'].value.equals(params.space)) return strength;
  if (doc['short'].size() == 0) return strength;
  return strength + params.nearness * Math.max(0, dotProduct(params.vector, 'short'));`

/** Connections of one library's items, strongest first; what was counted and read is kept for the query's other steps. */
export class Connections {
  readonly #library: Library
  readonly #items: number
  readonly #sources = new Map<Uuid, Source>()
  /** By token: items that have the label. */
  readonly #holders = new Map<string, number>()

  /** `items`: how many the library holds. */
  constructor(library: Library, items: number) {
    this.#library = library
    this.#items = items
  }

  /**
   * The strongest of each item, in their order, with items of other types alone where `crossModal`. The rules are those
   * of search/connections.ts.
   */
  async strongest(
    items: readonly Uuid[],
    { limit = MOST_CONNECTIONS, crossModal = false } = {},
  ): Promise<ConnectedBy[][]> {
    const all: ConnectedBy[][] = []
    for (let from = 0; from < items.length; from += AT_ONCE) {
      const sources = await this.#read(items.slice(from, from + AT_ONCE))
      await this.#count(sources)
      all.push(...(await this.#connect(sources, crossModal)).map((edges) => edges.slice(0, limit)))
    }
    return all
  }

  async #connect(sources: readonly Source[], crossModal: boolean): Promise<ConnectedBy[][]> {
    const found = await this.#library.searchAll<never>(
      sources.flatMap((source) => [this.#byName(source, crossModal), this.#byContent(source, crossModal)]),
    )
    const near = sources.map((_, at) => found[2 * at + 1]!.hits.hits.map(readHit))
    const cosines = await this.#cosines(sources, near)
    return sources.map((source, at) => {
      const targets = new Map<Uuid, { links: Set<string>; rankOf: (strength: number) => number }>()
      for (const { media, links, score } of found[2 * at]!.hits.hits.map(readHit))
        targets.set(media, { links, rankOf: () => score })
      for (const { media, links, score } of near[at]!)
        targets.set(media, { links, rankOf: (strength) => connectionRank(strength, score - SHIFT) })
      return [...targets]
        .map(([target, { links, rankOf }]) => {
          const { relation, strength } = this.#strength(source, links, cosines[at]!.get(target))
          const shared = this.#shared(source, links, relation)
          return {
            edge: { source: source.media, target, relation: RELATIONS[relation]!, strength, shared },
            rank: rankOf(strength),
          }
        })
        .filter(({ edge }) => edge.strength >= LEAST_STRENGTH)
        .sort((a, b) => b.rank - a.rank || (a.edge.target < b.edge.target ? -1 : 1))
        .map(({ edge }) => edge)
    })
  }

  /** Of equally strong relations the first. */
  #strength(source: Source, links: ReadonlySet<string>, cosine: number | undefined) {
    const left = RELATIONS.map(() => 1)
    for (const label of source.labels)
      if (links.has(label.token)) left[RELATION_OF[label.kind]]! *= 1 - this.#weight(label)
    if (cosine !== undefined) left[BY_CONTENT] = 1 - contentStrength(cosine)
    const least = Math.min(...left)
    return { relation: left.indexOf(least), strength: rounded(1 - least) }
  }

  /** Places of what is shared by that relation, the rarest first. */
  #shared({ labels }: Source, links: ReadonlySet<string>, relation: number): number[] {
    return labels
      .filter(({ kind, token }) => RELATION_OF[kind] === relation && links.has(token))
      .sort((a, b) => this.#weight(b) - this.#weight(a) || a.place - b.place)
      .slice(0, MOST_SHARED)
      .map(({ place }) => place)
  }

  #weight = ({ kind, token }: Label): number => labelWeight(kind, this.#holders.get(token) ?? 0, this.#items)

  #allowed(source: Source, crossModal: boolean): Query[] {
    const others = [
      { term: { media: source.media } },
      ...(crossModal ? [{ term: { type: source.type } }] : []),
    ]
    return [...this.#library.living, { bool: { must_not: others } }]
  }

  #byName(source: Source, crossModal: boolean) {
    const weighty = source.labels.filter((label) => this.#weight(label) > 0)
    const labels = Object.fromEntries(
      weighty.map((label) => [label.token, [RELATION_OF[label.kind], this.#weight(label)]]),
    )
    const { space, short } = source
    return {
      ...HITS,
      size: MOST_CONNECTIONS,
      query: {
        script_score: {
          query: {
            bool: {
              filter: [...this.#allowed(source, crossModal), { terms: { links: Object.keys(labels) } }],
            },
          },
          script: {
            source: RANK,
            params: {
              labels,
              space,
              vector: short.length > 0 ? short : null,
              nearness: connectionRank(0, 1),
            },
          },
        },
      },
    }
  }

  /** What is nearest by the short vectors, of the same embedder. */
  #byContent(source: Source, crossModal: boolean) {
    const { space, short } = source
    const filter = [...this.#allowed(source, crossModal), ...(space === null ? [] : [{ term: { space } }])]
    return {
      ...HITS,
      size: CONTENT_CANDIDATES,
      query: short.length > 0 && space !== null ? nearness('short', short, filter) : { match_none: {} },
      min_score: SHIFT,
    }
  }

  /** Of the combined vectors, of what is near each source. */
  async #cosines(
    sources: readonly Source[],
    near: readonly { media: Uuid }[][],
  ): Promise<Map<Uuid, number>[]> {
    const found = await this.#library.searchAll<never>(
      sources.map(({ space, combined }, at) => ({
        ...HITS,
        size: CONTENT_CANDIDATES,
        query:
          space !== null && near[at]!.length > 0
            ? nearness(spaceOf(space).combined, combined, [
                ofMedia(
                  this.#library,
                  near[at]!.map(({ media }) => media),
                ),
              ])
            : { match_none: {} },
      })),
    )
    return found.map(
      ({ hits }) =>
        new Map(hits.hits.map((hit) => readHit(hit)).map(({ media, score }) => [media, score - SHIFT])),
    )
  }

  async #read(items: readonly Uuid[]): Promise<Source[]> {
    const { client, index, account } = this.#library
    const unknown = items.filter((item) => !this.#sources.has(item))
    if (unknown.length > 0) {
      const { docs } = await client.mget<ItemFields | ContentDocument>({
        index,
        docs: unknown.flatMap((media) => [
          { _id: itemId(account, media), routing: account, _source: [...ITEM_FIELDS] },
          {
            _id: contentId(account, media),
            routing: account,
            _source: ['model', 'dimensions', 'vectors.short', 'vectors.combined'],
          },
        ]),
      })
      for (const [at, media] of unknown.entries()) {
        const [item, content] = [docs[2 * at]!, docs[2 * at + 1]!]
        if ('_source' in item && '_source' in content)
          this.#sources.set(media, sourceOf(item._source as ItemFields, content._source as ContentDocument))
      }
    }
    // What was removed meanwhile is connected with nothing.
    return items.map((item) => this.#sources.get(item) ?? { ...NOTHING, media: item })
  }

  async #count(sources: readonly Source[]): Promise<void> {
    const tokens = new Set(sources.flatMap(({ labels }) => labels.map(({ token }) => token)))
    const unknown = [...tokens].filter((token) => !this.#holders.has(token))
    for (let from = 0; from < unknown.length; from += MOST_FILTERS) {
      const part = unknown.slice(from, from + MOST_FILTERS)
      const { aggregations } = await this.#library.search<
        never,
        { holders: { buckets: { doc_count: number }[] } }
      >({
        size: 0,
        query: { bool: { filter: this.#library.living } },
        aggs: { holders: { filters: { filters: part.map((token) => ({ term: { links: token } })) } } },
      })
      for (const [at, { doc_count }] of aggregations!.holders.buckets.entries())
        this.#holders.set(part[at]!, doc_count)
    }
  }
}

const HITS = {
  ...COLUMNS_ALONE,
  docvalue_fields: ['media', 'links'],
  track_total_hits: false,
  track_scores: true,
  sort: BEST_FIRST,
}

const NOTHING: Omit<Source, 'media'> = { type: '', labels: [], space: null, short: [], combined: [] }

const readHit = ({ fields, _score }: { fields?: Record<string, unknown>; _score?: number | null }) => ({
  media: (fields!['media'] as Uuid[])[0]!,
  links: new Set((fields!['links'] as string[] | undefined) ?? []),
  score: _score!,
})

function sourceOf(fields: ItemFields, content: ContentDocument): Source {
  const { model, dimensions, combined, short } = vectorsIn(content)
  return {
    media: fields.media,
    type: fields.type,
    labels: connectingLabels(catalogItemOf(fields)).map(({ kind, key }, place) => ({
      kind,
      token: hashed(key),
      place,
    })),
    space: dimensions > 0 ? spaceName(model, dimensions) : null,
    short: [...short],
    combined: [...combined],
  }
}
