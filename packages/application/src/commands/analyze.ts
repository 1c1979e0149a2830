import type { AnalyzedFile, AnalyzeFile } from '../application.ts'
import { paid } from '../charging.ts'
import type { RequestContext } from '../context.ts'
import type { Dependencies } from '../dependencies.ts'
import type { FileAnalysis } from '../ports/index.ts'
import { priceLine } from '../prices.ts'

interface Kept {
  [key: string]: number
  processedAt: number
  milliseconds: number
}

const MAX_TOKENS = 4_096
const TEMPERATURE = 0.7

/**
 * Reads one staged file, answers a question about it and keeps nothing of it: the staging is released whatever happens.
 * Flat price, refunded when it fails. A repeat under an Idempotency-Key reads the file that came with it again, free.
 * @throws UnsupportedFileType, UnreadableFile, EngineUnavailable, and as `paid`
 */
export async function analyzeFile(
  dependencies: Dependencies,
  context: RequestContext,
  command: AnalyzeFile,
): Promise<AnalyzedFile> {
  const { staging, understanding, languageModel, settings, clock } = dependencies
  const { staged, filename, query, systemPrompt, responseFormat } = command
  try {
    const format = understanding.identify(filename, staged.head)
    const mediaType = command.mediaType ?? format.mediaType
    const analyze = async (): Promise<FileAnalysis> => {
      const { extraction, enrichment, chunks } = await understanding.read(
        { path: staged.path, filename, size: staged.size, format },
        {},
      )
      return languageModel.analyze({
        query,
        instructions: systemPrompt,
        passages: chunks.map(({ text }) => ({ text, relevance: null })),
        temperature: TEMPERATURE,
        maxTokens: MAX_TOKENS,
        filename,
        mediaType,
        extraction,
        enrichment,
      })
    }
    const { value, ...outcome } = await paid<{ analysis: FileAnalysis; kept: Kept }, Kept>(
      dependencies,
      context,
      {
        operation: 'analyze',
        idempotencyKey: command.idempotencyKey,
        fields: { sha256: staged.sha256, query, systemPrompt, responseFormat, mediaType: command.mediaType },
        async prepare() {
          const price = [priceLine(settings.prices, 'MEDIA_ANALYSIS')]
          const work = async () => {
            const started = performance.now()
            const analysis = await analyze()
            const milliseconds = Math.round(performance.now() - started)
            const kept = { processedAt: clock.now(), milliseconds }
            return { value: { analysis, kept }, cost: price, kept }
          }
          return { most: price, work }
        },
        replay: async (kept) => ({ analysis: await analyze(), kept }),
      },
    )
    return {
      ...outcome,
      ...value.kept,
      analysis: value.analysis,
      format: format.name,
      mediaType,
      model: languageModel.model,
    }
  } finally {
    await staging.release(staged.id)
  }
}
