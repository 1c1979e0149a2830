import { dirname } from 'node:path'
import type {
  Chunk,
  Embedder,
  Enricher,
  Extraction,
  ItemVectors,
  Perceiver,
  SourceFile,
  UnderstandOptions,
  Understanding,
  Understood,
  WorkOptions,
} from '@medialog/application/ports/understanding'
import { withTranscript } from '@medialog/application/ports/transcript'
import { bodyChunks, headChunk } from './chunk.ts'
import { decoderTrouble } from './media/module.ts'
import { ExtractorPool, type PoolOptions } from './pool/pool.ts'
import type { Extracted, Spoken } from './pool/protocol.ts'
import { heardBy, spokenPassages } from './speech/heard.ts'
import type { Transcriber } from './speech/transcriber.ts'
import { TaskLost } from './threads.ts'
import { LARGEST_FILE } from './formats.ts'
import { identify } from './sniff.ts'
import { itemVectors } from './vectors.ts'

interface UnderstandingOptions {
  enricher: Enricher
  embedder: Embedder
  /** Without one, pictures are not looked at and recordings not listened to. */
  perceiver?: Perceiver | null
  /** Writes down what is said in recordings that the perceiver does not hear, and in films. */
  transcriber?: Transcriber | null
  /** Keep a small copy of each image. */
  previews?: boolean
  pool?: PoolOptions
}

/**
 * Fills the port: extract (in a child process, where the text is also cut into passages) → transcribe → perceive → enrich →
 * head chunk → embed.
 * The enricher, the embedder and the transcriber belong to the caller, who closes them; `close` ends the child processes.
 */
export function createUnderstanding({
  enricher,
  embedder,
  perceiver = null,
  transcriber = null,
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
    options: UnderstandOptions,
    withPreview: boolean,
  ): Promise<Omit<Understood, 'vectors'>> {
    const { passages, thumbnails, ...read } = await perceived(file, options, withPreview)
    const extraction = withUnperceived(file, read.extraction)
    const enrichment = await enricher.enrich(extraction, file.filename, options)
    return {
      extraction,
      enrichment,
      chunks: [headChunk(extraction, enrichment, file.filename), ...passages],
      ...(thumbnails && { thumbnails }),
    }
  }

  /** Adds a warning if no model looks at photos or listens to such a recording: it names the setting. */
  function withUnperceived(file: SourceFile, extraction: Extraction): Extraction {
    const { facts, warnings } = extraction
    const isUnseen = facts.mediaType === 'image' && facts.kind?.name === 'photo' && !perceiver?.sees
    const isUnheard = facts.mediaType === 'audio' && !perceiver?.hears(file) && transcriber === null
    const more = [
      ...(isUnseen ? ['The photo was not described: MEDIALOG_VISION_MODEL names no model.'] : []),
      ...(isUnheard ? ['The recording was not transcribed: MEDIALOG_SPEECH is off.'] : []),
    ]
    return { ...extraction, warnings: [...warnings, ...more] }
  }

  async function perceived(
    file: SourceFile,
    options: UnderstandOptions,
    withPreview: boolean,
  ): Promise<Pick<Extracted, 'extraction' | 'thumbnails'> & { passages: Chunk[] }> {
    const isHeard = file.format.mediaType === 'audio' && (perceiver?.hears(file) ?? false)
    const extract = (withSpeech: boolean): Promise<Extracted> =>
      pool.extract(file, { ...options, withPicture: perceiver?.sees ?? false, withPreview, withSpeech })
    const {
      picture = null,
      spoken,
      thumbnails,
      ...extracted
    } = await extract(transcriber !== null && !isHeard)
    const pictures = thumbnails && { thumbnails }
    const read = withListened(extracted.extraction, isHeard || spoken !== undefined)
    const written = await transcribed(file, read, spoken, options)
    const told = perceiver
      ? await perceiver.perceive({ file, extraction: written, picture }, options)
      : written
    // Where the provider gave nothing. The sound was not kept while it listened.
    const isLeft = isHeard && transcriber !== null && !('transcribedBy' in told.facts)
    const extraction = isLeft ? await transcribed(file, told, (await extract(true)).spoken, options) : told
    const isSameText = extraction.text === extracted.extraction.text
    const cut = spokenPassages(extraction) ?? {
      extraction,
      passages: isSameText ? passagesOf(extracted) : bodyChunks(extraction),
    }
    return { ...cut, ...pictures }
  }

  /** A recording over which the model is lost is stored by its other facts: it would be the same with every try. */
  async function transcribed(
    { path }: SourceFile,
    extraction: Extraction,
    spoken: Spoken | undefined,
    options: UnderstandOptions,
  ): Promise<Extraction> {
    const { facts, warnings } = extraction
    if (!transcriber || !spoken || (facts.mediaType !== 'audio' && facts.mediaType !== 'video'))
      return extraction
    try {
      const written = await transcriber.transcribe(spoken, dirname(path), options)
      const { model } = transcriber
      const more = heardBy(model, written.segments)
      return withTranscript({ ...extraction, facts, warnings: [...warnings, ...more] }, written, model)
    } catch (error) {
      if (!(error instanceof TaskLost)) throw error
      return {
        ...extraction,
        warnings: [...warnings, 'What is said could not be written down: the model was lost over it.'],
      }
    }
  }
}

function withListened(extraction: Extraction, listened: boolean): Extraction {
  const { facts } = extraction
  const isPlayed = facts.mediaType === 'audio' || facts.mediaType === 'video'
  return isPlayed ? { ...extraction, facts: { ...facts, listened } } : extraction
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
