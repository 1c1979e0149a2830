import type {
  Chunk,
  Embedder,
  Enricher,
  Extraction,
  Perceiver,
  SourceFile,
  Understanding,
  Understood,
} from '@medialog/application/ports/understanding'
import { bodyChunks, headChunk } from './chunk.ts'
import { ExtractorPool, type PoolOptions } from './pool/pool.ts'
import type { Extracted } from './pool/protocol.ts'
import { LARGEST_FILE } from './formats.ts'
import { identify } from './sniff.ts'
import { itemVectors } from './vectors.ts'

interface UnderstandingOptions {
  enricher: Enricher
  embedder: Embedder
  /** Without one, pictures are not looked at and recordings not listened to. */
  perceiver?: Perceiver | null
  pool?: PoolOptions
}

/**
 * Fills the port: extract (in a child process, where the text is also cut into passages) → perceive → enrich → head
 * chunk → embed.
 * The enricher and the embedder belong to the caller, who closes them; `close` ends the child processes.
 */
export function createUnderstanding({
  enricher,
  embedder,
  perceiver = null,
  pool: options,
}: UnderstandingOptions): Understanding {
  const pool = new ExtractorPool(options)
  return {
    largestFile: LARGEST_FILE,
    identify,
    async understand(file, { signal }) {
      const { chunks, ...read } = await readFile(file, signal)
      const texts = chunks.map(({ text }) => text)
      const vectors = await embedder.embed(texts, { priority: 'document', ...(signal && { signal }) })
      return { ...read, chunks, vectors: itemVectors(embedder.model, vectors, chunks) }
    },
    read: (file, { signal }) => readFile(file, signal),
    close: () => pool.close(),
  }

  async function readFile(file: SourceFile, signal?: AbortSignal): Promise<Omit<Understood, 'vectors'>> {
    const { extraction, passages } = await perceived(file, signal)
    const enrichment = await enricher.enrich(extraction, file.filename, signal ? { signal } : {})
    return {
      extraction,
      enrichment,
      chunks: [headChunk(extraction, enrichment, file.filename), ...passages],
    }
  }

  async function perceived(
    file: SourceFile,
    signal?: AbortSignal,
  ): Promise<{ extraction: Extraction; passages: Chunk[] }> {
    const { picture = null, ...extracted } = await pool.extract(file, {
      ...(signal && { signal }),
      withPicture: perceiver?.sees ?? false,
    })
    if (!perceiver) return { extraction: extracted.extraction, passages: passagesOf(extracted) }
    const extraction = await perceiver.perceive(
      { file, extraction: extracted.extraction, picture },
      signal && { signal },
    )
    const isSameText = extraction.text === extracted.extraction.text
    return { extraction, passages: isSameText ? passagesOf(extracted) : bodyChunks(extraction) }
  }
}

const passagesOf = ({ extraction, passages }: Omit<Extracted, 'picture'>): Chunk[] =>
  passages.map(([start, end]) => ({ text: extraction.text.slice(start, end), start, end }))
