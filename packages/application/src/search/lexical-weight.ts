import type { Embedder } from '../ports/index.ts'

/** The weight of words for a query: as asked where the embedder reads all of it, 1 where it reads none of it. */
export const lexicalWeightFor = (embedder: Pick<Embedder, 'reads'>, text: string, asked: number): number =>
  1 - (1 - asked) * (embedder.reads?.(text) ?? 1)
