import { createEmbedder } from '@medialog/embedder'
import { existsSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { digest, keep, understoodChunks } from './understood.ts'
import { sized } from './scale.ts'

export interface Cranfield {
  documents: CranfieldDocument[]
  queries: { text: string; vector: Float32Array; relevant: Set<number> }[]
  /** What made the vectors. */
  model: string
  cosineFloor: number
}

export interface CranfieldDocument {
  number: number
  title: string
  /** The abstract, as one passage. */
  whole: Passage
  /** The chunks the service makes of it as a Markdown file, title and abstract. */
  markdown: Passage[]
  /** The same as a plain text file without a title of its own. */
  text: Passage[]
}

export interface Passage {
  text: string
  vector: Float32Array
}

/** The collection with its embeddings, which are kept in the folder for temporary files: making them takes minutes. */
export async function loadCranfield(): Promise<Cranfield> {
  const read = (name: string) =>
    readFileSync(new URL(`../benchmarks/cranfield/${name}`, import.meta.url), 'utf8')
  const all = [...read('cran.all.1400.xml').matchAll(/<doc>(.*?)<\/doc>/gs)]
  const documents = all.slice(0, sized(all.length, 30)).map(([, doc]) => {
    const [number, title, text] = ['docno', 'title', 'text'].map((name) => tag(doc!, name))
    return { number: Number(number), title: title!, text: text || title || 'untitled' }
  })
  const markdown = await understoodChunks(
    documents.map(({ number, title, text }) => ({
      filename: `cranfield-${number}.md`,
      text: `# ${title || 'untitled'}\n\n${text.slice(title.length).trim()}\n`,
    })),
  )
  const text = await understoodChunks(
    documents.map(({ number, text }) => ({ filename: `cranfield-${number}.txt`, text: `${text}\n` })),
  )
  const asked = [...read('cran.qry.xml').matchAll(/<top>(.*?)<\/top>/gs)].map(([, top]) => tag(top!, 'title'))
  const queries = asked.slice(0, sized(asked.length, 10))
  const relevant = judgements(read('cranqrel.trec.txt'), asked.length)
  const { vectorOf, model, cosineFloor } = await embedded([
    ...queries,
    ...documents.map((one) => one.text),
    ...markdown.flat(),
    ...text.flat(),
  ])
  const passage = (text: string): Passage => ({ text, vector: vectorOf(text) })
  return {
    model,
    cosineFloor,
    queries: queries.map((text, place) => ({ ...passage(text), relevant: relevant[place]! })),
    documents: documents.map(({ number, title, text: whole }, place) => ({
      number,
      title,
      whole: passage(whole),
      markdown: markdown[place]!.map(passage),
      text: text[place]!.map(passage),
    })),
  }
}

const tag = (xml: string, name: string): string =>
  (new RegExp(`<${name}>(.*?)</${name}>`, 's').exec(xml)?.[1] ?? '').replace(/\s+/g, ' ').trim()

/** Judgements are keyed by the query's position, from 1. */
function judgements(lines: string, queries: number): Set<number>[] {
  const relevant = Array.from({ length: queries }, () => new Set<number>())
  for (const line of lines.split('\n')) {
    const [query, , document, judgement] = line.trim().split(/\s+/).map(Number)
    if (judgement! > 0) relevant[query! - 1]!.add(document!)
  }
  return relevant
}

async function embedded(texts: readonly string[]) {
  const distinct = [...new Set(texts)]
  const embedder = await createEmbedder()
  const { model, dimensions, cosineFloor } = embedder
  const file = join(tmpdir(), `medialog-cranfield-${digest([model, ...distinct])}.f32`)
  if (!existsSync(file)) {
    const vectors = await embedder.embed(distinct)
    const bytes = vectors.map((one) => Buffer.from(one.buffer, one.byteOffset, one.byteLength))
    keep(file, Buffer.concat(bytes))
  }
  await embedder.close()
  const all = new Float32Array(new Uint8Array(readFileSync(file)).buffer)
  const vectors = new Map(
    distinct.map((text, place) => [text, all.subarray(place * dimensions, (place + 1) * dimensions)]),
  )
  return { model, cosineFloor, vectorOf: (text: string): Float32Array => vectors.get(text)! }
}

/** Normalised discounted cumulative gain of the first ten, with judgements of 0 or 1. */
export function ndcg10(found: readonly number[], relevant: ReadonlySet<number>): number {
  const gain = (rank: number) => 1 / Math.log2(rank + 2)
  const ideal = Array.from({ length: Math.min(10, relevant.size) }, (_, rank) => gain(rank))
  const got = found.slice(0, 10).map((document, rank) => (relevant.has(document) ? gain(rank) : 0))
  const sum = (values: number[]) => values.reduce((total, value) => total + value, 0)
  return ideal.length > 0 ? sum(got) / sum(ideal) : 0
}

/** The share of the relevant documents that are among the first hundred. */
export const recall100 = (found: readonly number[], relevant: ReadonlySet<number>): number =>
  relevant.size > 0
    ? found.slice(0, 100).filter((document) => relevant.has(document)).length / relevant.size
    : 0
