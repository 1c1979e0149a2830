import {
  saidAt,
  type CatalogItem,
  type Cluster,
  type ConnectedMedia,
  type FoundMedia,
  type ShownConnection,
  type SimilarMedia,
} from '@medialog/application'
import type {
  CrossModalConnection,
  ExpansionStep,
  SearchResult,
  SimilarResult,
  Routes,
} from '@medialog/contract/http'
import type { z } from 'zod'
import { idOf, searchMetadataOf } from './media.ts'

type Relationships = NonNullable<z.input<Routes['findSimilar']['answer']>['data']['relationships']>

/** A direct match: found through no other item. */
export const searchResult = (
  { hit, item, explanation }: FoundMedia['results'][number],
  lexicalWeight: number,
): z.input<typeof SearchResult> => ({
  media_id: idOf(item),
  media_type: item.mediaType,
  score: hit.score,
  relevance_explanation: explanation,
  score_parts: {
    lexical: hit.lexical,
    semantic: hit.semantic,
    lexical_weight: lexicalWeight,
    matched_terms: hit.matchedTerms,
  },
  collection: item.collection,
  passage: passageOf(hit, item),
  metadata: { file_info: fileInfoOf(item), search_metadata: searchMetadataOf(item.enrichment) },
  context_depth: 0,
  expansion_path: [],
  cross_modal_connections: [],
})

function passageOf(
  { passage: { text, chunk } }: FoundMedia['results'][number]['hit'],
  { extraction }: CatalogItem,
): z.input<typeof SearchResult>['passage'] {
  const time = saidAt(extraction.facts, chunk)
  return { text, chunk, ...(time && { time }) }
}

export const connectedResult = (
  result: ConnectedMedia,
  lexicalWeight: number,
): z.input<typeof SearchResult> => ({
  ...searchResult(result, lexicalWeight),
  context_depth: result.hit.depth,
  expansion_path: result.path.map(expansionStep),
  cross_modal_connections: result.crossModal.map((connection) => connectionOf(connection, '↔')),
})

const expansionStep = (connection: ShownConnection): z.input<typeof ExpansionStep> => ({
  source_id: idOf(connection.source),
  source_filename: connection.source.filename,
  ...connectionOf(connection, '→'),
})

const connectionOf = (
  { source, target, relation, strength, phrase }: ShownConnection,
  symbol: '↔' | '→',
): z.input<typeof CrossModalConnection> => ({
  target_id: idOf(target),
  target_filename: target.filename,
  relation_type: relation,
  strength,
  source_modality: source.mediaType,
  target_modality: target.mediaType,
  symbol,
  relationship_type: phrase,
})

const fileInfoOf = ({ filename, sizeBytes, sha256 }: CatalogItem) => ({
  filename,
  size_bytes: sizeBytes,
  checksum: sha256,
})

export const similarResult = ({ item, score, explanation }: SimilarMedia): z.input<typeof SimilarResult> => ({
  media_id: idOf(item),
  media_type: item.mediaType,
  score,
  similarity_percentage: `${(score * 100).toFixed(1)}%`,
  relevance_explanation: explanation,
  collection: item.collection,
  metadata: {
    file_info: fileInfoOf(item),
    media_type: item.mediaType,
    search_metadata: searchMetadataOf(item.enrichment),
    modality_metadata: visualOf(item),
  },
})

/** What an image shows: as a model saw it, else as far as it is known: its subject or kind, things and colours by name. */
function visualOf({
  extraction: { facts },
  enrichment: { topics, categories, entities },
}: CatalogItem): z.input<typeof SimilarResult>['metadata']['modality_metadata'] {
  if (facts.mediaType !== 'image') return {}
  const subject = topics[0] ?? categories.find((category) => category !== 'image')
  const colors = facts.dominantColors.map(({ name }) => name)
  return {
    visual: {
      scene_type: facts.seen?.sceneType ?? subject ?? facts.kind?.name ?? 'unknown',
      visual_elements: [...new Set([...(facts.seen?.elements ?? []), ...entities.objects, ...colors])],
    },
  }
}

export function clustersOf(clusters: readonly Cluster[]): Relationships['clusters'] {
  const mean = (members: readonly SimilarMedia[]) =>
    members.reduce((sum, { score }) => sum + score, 0) / members.length
  return {
    clusters: Object.fromEntries(
      clusters.map(({ name, members }) => [name, members.map(({ item }) => idOf(item))]),
    ),
    metadata: Object.fromEntries(
      clusters.map(({ name, members }) => {
        const types = new Set(members.map(({ item }) => item.mediaType))
        const [type] = types
        return [
          name,
          {
            modality: types.size === 1 ? type! : 'mixed',
            avg_score: mean(members),
            member_count: members.length,
          },
        ]
      }),
    ),
  }
}
