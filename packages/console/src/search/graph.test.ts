import type { SearchResult, SimilarResult } from '@medialog/client'
import { expect, test } from 'vitest'
import { graphOf, neighboursOf, withSimilar } from './graph.ts'

const step = { relation_type: 'shared_entity', source_modality: 'document', symbol: '→' } as const
const RESULTS = [
  {
    media_id: 'doc_a',
    media_type: 'document',
    score: 0.7,
    metadata: { file_info: { filename: 'a.txt' } },
    expansion_path: [],
    cross_modal_connections: [
      {
        ...step,
        target_id: 'img_c',
        target_filename: 'c.png',
        target_modality: 'image',
        strength: 0.2,
        relationship_type: 'same author',
      },
    ],
  },
  {
    media_id: 'doc_b',
    media_type: 'document',
    score: 0.3,
    metadata: { file_info: { filename: 'b.txt' } },
    expansion_path: [
      {
        ...step,
        source_id: 'doc_a',
        source_filename: 'a.txt',
        target_id: 'doc_b',
        target_filename: 'b.txt',
        target_modality: 'document',
        strength: 0.5,
        relationship_type: 'both name Ada',
      },
    ],
    cross_modal_connections: [],
  },
] as unknown as SearchResult[]

test('has each item once, with its score and name, and one edge for two items', () => {
  const graph = graphOf([...RESULTS, ...RESULTS])
  expect([...graph.nodes.values()].map(({ id, name, score }) => [id, name, score])).toEqual([
    ['doc_a', 'a.txt', 0.7],
    ['img_c', 'c.png', null],
    ['doc_b', 'b.txt', 0.3],
  ])
  expect(graph.edges.size).toBe(2)
})

test('names the strongest neighbours first', () => {
  expect(neighboursOf(graphOf(RESULTS), 'doc_a').map(({ node, edge }) => [node.id, edge.why])).toEqual([
    ['doc_b', 'both name Ada'],
    ['img_c', 'same author'],
  ])
})

test('what is similar is added to what is there', () => {
  const similar = [
    {
      media_id: 'img_c',
      media_type: 'image',
      score: 0.9,
      similarity_percentage: '90.0%',
      metadata: { file_info: { filename: 'c.png' } },
    },
  ] as unknown as SimilarResult[]
  const graph = withSimilar(graphOf(RESULTS), 'doc_b', similar)
  expect(graph.nodes.get('img_c')!.name).toBe('c.png')
  expect(neighboursOf(graph, 'img_c').map(({ node }) => node.id)).toEqual(['doc_b', 'doc_a'])
})
