import { fileURLToPath } from 'node:url'
import type { Runtime } from './runtimes.ts'

/** How a vector is made of what the model says of each token: `none` where it gives one vector by itself. */
export const POOLINGS = ['mean', 'cls', 'none'] as const
export type Pooling = (typeof POOLINGS)[number]

/** A model in ONNX with all that it takes to embed by it. Plain data: threads are started with it. */
export interface EmbeddingModel {
  /** Of this model alone: another one, or the same with other files, has another name. */
  name: string
  /** Paths. Weights that are not in the model's own file are mapped into memory. */
  onnx: string
  weights: string | null
  tokenizer: { kind: 'vocab.txt' | 'tokenizer.json'; path: string }
  dimensions: number
  pooling: Pooling
  /** What it reads of a text, marks that open and close it counted. */
  maxTokens: number
  /** Said before a text, by what it is embedded for. */
  prefix: { query: string; document: string }
  /** See Embedder. */
  cosineFloor: number
  /** Of letters that are not Latin its vectors are noise: see `reads` of Embedder. */
  latinOnly: boolean
}

/** The name of what a model makes on a runtime: vectors of two runtimes differ slightly. */
export const vectorsName = ({ name }: EmbeddingModel, runtime: Runtime): string => `${name}/${runtime}`

const inTheBox = (name: string): string =>
  fileURLToPath(new URL(`../model/all-MiniLM-L6-v2/${name}`, import.meta.url))

export const MODEL_IN_THE_BOX: EmbeddingModel = {
  name: 'all-MiniLM-L6-v2-int8-fused',
  onnx: inTheBox('model.onnx'),
  weights: inTheBox('model.onnx_data'),
  tokenizer: { kind: 'vocab.txt', path: inTheBox('vocab.txt') },
  dimensions: 384,
  pooling: 'none',
  maxTokens: 256,
  prefix: { query: '', document: '' },
  // Below it, pairs of English texts that have nothing to do with each other are as frequent as above.
  cosineFloor: 0.15,
  // It was trained on English.
  latinOnly: true,
}
