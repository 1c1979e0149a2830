import { generateText, NoObjectGeneratedError, Output, type LanguageModel, type ModelMessage } from 'ai'
import type { z } from 'zod'
import { UnusableAnswer } from './failure.ts'
import type { Called } from './line.ts'

interface StructuredRequest<Schema extends z.ZodType> {
  instructions: string
  messages: ModelMessage[]
  schema: Schema
  maxOutputTokens: number
  temperature?: number
}

/** One answer of a given form, parsed and bounded by its schema. @throws UnusableAnswer and what the provider throws */
export async function structured<Schema extends z.ZodType>(
  model: LanguageModel,
  { schema, ...request }: StructuredRequest<Schema>,
  signal: AbortSignal,
): Promise<Called<z.output<Schema>>> {
  try {
    const { output, totalUsage } = await generateText({
      ...request,
      model,
      output: Output.object({ schema, name: 'answer' }),
      // Repeating is the line's business.
      maxRetries: 0,
      abortSignal: signal,
    })
    return { value: output as z.output<Schema>, tokens: totalUsage.totalTokens }
  } catch (error) {
    if (!NoObjectGeneratedError.isInstance(error)) throw error
    const tokens = error.usage?.totalTokens
    const parsed = schema.safeParse(jsonIn(error.text ?? ''))
    if (!parsed.success) throw new UnusableAnswer('it has another form than was asked for', tokens)
    return { value: parsed.data, tokens }
  }
}

/** Small models like to talk around their JSON. */
function jsonIn(text: string): unknown {
  const [start, end] = [text.indexOf('{'), text.lastIndexOf('}')]
  try {
    return JSON.parse(text.slice(start, end + 1))
  } catch {
    return undefined
  }
}
