import type { MediaType } from '@medialog/kernel'
import { paid, type ChargingPorts, type Payment } from '../billing/charging.ts'
import { priceLine } from '../billing/prices.ts'
import type { RequestContext } from '../core/context.ts'
import type { Ports } from '../core/ports.ts'
import type { FileAnalysis, StagedFile } from '../ports/index.ts'
import { keepAnswer, keptAnswer } from './keep.ts'

export type AnalyzePorts = ChargingPorts &
  Pick<Ports, 'staging' | 'understanding' | 'languageModel' | 'keptAnswers'>

export interface AnalyzeFile {
  staged: StagedFile
  filename: string
  query: string
  systemPrompt: string | null
  responseFormat: 'text' | 'json'
  /** Null: what the bytes say. */
  mediaType: MediaType | null
  idempotencyKey?: string
}

export interface AnalyzedFile extends Payment {
  analysis: FileAnalysis
  format: string
  mediaType: MediaType
  processedAt: number
  milliseconds: number
  model: string
}

interface Kept {
  [key: string]: number
  processedAt: number
  milliseconds: number
}

/** What was said, kept under a seal. */
type Said = { [Part in keyof Omit<FileAnalysis, 'madeBy'>]: FileAnalysis[Part] } & { model: string }

const MAX_TOKENS = 4_096
const TEMPERATURE = 0.7

/**
 * Reads one staged file, answers a question about it and keeps no part of it: the staging is always released.
 * Flat price, refunded when it fails. With an Idempotency-Key the answer is kept for repeats, under a seal that only the
 * same file and question open.
 * @throws UnsupportedFileType, UnreadableFile, EngineUnavailable, and as `paid`
 */
export async function analyzeFile(
  ports: AnalyzePorts,
  context: RequestContext,
  command: AnalyzeFile,
): Promise<AnalyzedFile> {
  const { staging, understanding, languageModel, settings, clock } = ports
  const { staged, filename, query, systemPrompt, responseFormat, idempotencyKey } = command
  try {
    const format = understanding.identify(filename, staged.head)
    const mediaType = command.mediaType ?? format.mediaType
    const fields = {
      sha256: staged.sha256,
      query,
      systemPrompt,
      responseFormat,
      mediaType: command.mediaType,
    }
    // The bytes besides their digest: that of a file which was stored as well stays in the log when it is erased.
    const material = [JSON.stringify(fields), staged.head]
    const { accountId } = context.principal
    const analyze = async (): Promise<Said> => {
      const { extraction, enrichment, chunks } = await understanding.read(
        { path: staged.path, filename, size: staged.size, format },
        { accountId },
      )
      const { madeBy = languageModel, ...analysis } = await languageModel.analyze(
        {
          query,
          instructions: systemPrompt,
          passages: chunks.map(({ text }) => ({ text, relevance: null })),
          temperature: TEMPERATURE,
          maxTokens: MAX_TOKENS,
          filename,
          mediaType,
          extraction,
          enrichment,
        },
        { accountId },
      )
      return { ...analysis, model: madeBy.model }
    }
    const { value, ...outcome } = await paid<{ said: Said; kept: Kept }, Kept>(ports, context, {
      operation: 'analyze',
      idempotencyKey,
      fields,
      async prepare() {
        const price = [priceLine(settings.prices, 'MEDIA_ANALYSIS')]
        const work = async () => {
          const started = performance.now()
          const said = await analyze()
          const milliseconds = Math.round(performance.now() - started)
          const kept = { processedAt: clock.now(), milliseconds }
          if (idempotencyKey !== undefined) {
            const ref = { requestId: context.requestId, at: kept.processedAt }
            await keepAnswer(ports, ref, said, material)
          }
          return { value: { said, kept }, cost: price, kept }
        }
        return { most: price, work }
      },
      replay: async (kept, requestId) => ({
        said: await keptAnswer<Said>(ports, { requestId, at: kept.processedAt }, material),
        kept,
      }),
    })
    const { model, ...analysis } = value.said
    return { ...outcome, ...value.kept, analysis, format: format.name, mediaType, model }
  } finally {
    await staging.release(staged.id)
  }
}
