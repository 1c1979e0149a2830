import type {
  Chunk,
  Embedder,
  Enricher,
  Extraction,
  ItemVectors,
  Perceiver,
  SourceFile,
  Understanding,
  Understood,
  WorkOptions,
} from '@medialog/application/ports/understanding'
import { bodyChunks, headChunk } from './chunk.ts'
import { decoderTrouble } from './media/module.ts'
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
  /** Keep a small copy of each image. */
  previews?: boolean
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
  previews = false,
  pool: options,
}: UnderstandingOptions): Understanding {
  const pool = new ExtractorPool(options)
  let decoder: Promise<string | null> | undefined
  return {
    largestFile: LARGEST_FILE,
    identify,
    async understand(file, options) {
      const read = await readFile(file, options, previews)
      return { ...read, vectors: await embedChunks(embedder, read.chunks, options) }
    },
    embed: (chunks, { embedder: other = embedder, ...options } = {}) => embedChunks(other, chunks, options),
    // The file is not kept, so neither is a preview.
    read: (file, options) => readFile(file, options, false),
    trouble: () => (decoder ??= decoderTrouble()),
    close: () => pool.close(),
  }

  async function readFile(
    file: SourceFile,
    options: WorkOptions,
    withPreview: boolean,
  ): Promise<Omit<Understood, 'vectors'>> {
    const { passages, thumbnails, ...read } = await perceived(file, options, withPreview)
    const extraction = withUnperceived(read.extraction, perceiver)
    const enrichment = await enricher.enrich(extraction, file.filename, options)
    return {
      extraction,
      enrichment,
      chunks: [headChunk(extraction, enrichment, file.filename), ...passages],
      ...(thumbnails && { thumbnails }),
    }
  }

  async function perceived(
    file: SourceFile,
    options: WorkOptions,
    withPreview: boolean,
  ): Promise<Pick<Extracted, 'extraction' | 'thumbnails'> & { passages: Chunk[] }> {
    const {
      picture = null,
      thumbnails,
      ...extracted
    } = await pool.extract(file, { ...options, withPicture: perceiver?.sees ?? false, withPreview })
    const pictures = thumbnails && { thumbnails }
    if (!perceiver) return { extraction: extracted.extraction, passages: passagesOf(extracted), ...pictures }
    const extraction = await perceiver.perceive({ file, extraction: extracted.extraction, picture }, options)
    const isSameText = extraction.text === extracted.extraction.text
    return { extraction, passages: isSameText ? passagesOf(extracted) : bodyChunks(extraction), ...pictures }
  }
}

/** Adds a warning if no model looked at a photo or listened to a recording: it names the setting. */
function withUnperceived(extraction: Extraction, perceiver: Perceiver | null): Extraction {
  const { facts, warnings } = extraction
  const isUnseen = facts.mediaType === 'image' && facts.kind?.name === 'photo' && !perceiver?.sees
  const isUnheard = facts.mediaType === 'audio' && !perceiver?.hears
  const more = [
    ...(isUnseen ? ['The photo was not described: MEDIALOG_VISION_MODEL names no model.'] : []),
    ...(isUnheard ? ['The recording was not transcribed: MEDIALOG_TRANSCRIPTION_MODEL names no model.'] : []),
  ]
  return { ...extraction, warnings: [...warnings, ...more] }
}

async function embedChunks(
  embedder: Embedder,
  chunks: readonly Pick<Chunk, 'text'>[],
  { textsAtOnce = chunks.length, ...work }: WorkOptions & { textsAtOnce?: number },
): Promise<ItemVectors> {
  const vectors: Float32Array[] = []
  while (vectors.length < chunks.length) {
    const texts = chunks.slice(vectors.length, vectors.length + textsAtOnce).map(({ text }) => text)
    vectors.push(...(await embedder.embed(texts, { priority: 'document', ...work })))
  }
  return itemVectors(embedder.model, vectors, chunks)
}

const passagesOf = ({ extraction, passages }: Pick<Extracted, 'extraction' | 'passages'>): Chunk[] =>
  passages.map(([start, end]) => ({ text: extraction.text.slice(start, end), start, end }))
