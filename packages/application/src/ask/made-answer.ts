import type { Uuid } from '@medialog/kernel'
import type { AnswerMaker, AnswerPart, LanguageModel } from '../ports/index.ts'
import type { Grounding, AskQuestion } from './ground.ts'

/** Hears an answer while it is made. */
export interface AnswerListener {
  /** Resolves once the text was taken: the next is not made before. `replayed`: it is the first answer again. */
  delta(text: string, about: { replayed: boolean }): Promise<void>
  /** The client has disconnected. */
  signal: AbortSignal
}

/** What a model made of a question; `model` and `disclaimer` are those of the one that made it. */
export interface MadeAnswer extends AnswerMaker {
  text: string
  /** False: the material holds no answer. */
  answered: boolean
  /** Places among the passages. */
  cited: number[]
  outputTokens: number
  milliseconds: number
}

type AnswerEnd = Omit<Extract<AnswerPart, { type: 'end' }>, 'type'>

/**
 * Has the answer made, each piece once the listener took the one before. A listener who disconnects before the first was
 * taken ends it, and owes nothing unless the question was sent to a provider by then. Later too, and what was made so far is
 * the answer. With an Idempotency-Key, which says that the whole of it will be asked for again, an answer that costs is made to
 * its end.
 * @throws EngineUnavailable, the listener's reason
 */
export async function makeAnswer(
  model: LanguageModel,
  accountId: Uuid,
  { query, context, systemPrompt, temperature, maxTokens, idempotencyKey }: AskQuestion,
  { passages }: Pick<Grounding, 'passages'>,
  listener?: AnswerListener,
): Promise<MadeAnswer> {
  const started = performance.now()
  const ending = new AbortController()
  let text = ''
  let isSent = false
  let end: AnswerEnd = { cited: [], answered: false, outputTokens: 0 }
  const goesOn = (): boolean => idempotencyKey !== undefined && (text !== '' || isSent)
  const leave = (): void => {
    if (!goesOn()) ending.abort(listener!.signal.reason)
  }
  const tell = async (piece: string): Promise<void> => {
    if (!listener || (listener.signal.aborted && goesOn())) return
    try {
      await listener.delta(piece, { replayed: false })
    } catch (error) {
      if (!listener.signal.aborted || !goesOn()) throw error
    }
  }
  if (listener?.signal.aborted) leave()
  else listener?.signal.addEventListener('abort', leave, { once: true })
  const question = { query, context, instructions: systemPrompt, passages, temperature, maxTokens }
  try {
    for await (const part of model.answer(question, {
      accountId,
      signal: ending.signal,
      whole: !listener,
      onSent: () => (isSent = true),
    })) {
      if (part.type === 'end') end = part
      else {
        await tell(part.text)
        text += part.text
      }
    }
  } catch (error) {
    // Who went away in the middle has been served so far, and what was sent for them has to be paid for.
    if (!ending.signal.aborted || (text === '' && !isSent)) throw error
    const [outputTokens] = await model.countTokens([text], { accountId })
    end = { ...end, outputTokens: outputTokens! }
  } finally {
    listener?.signal.removeEventListener('abort', leave)
  }
  const { cited, answered, outputTokens, madeBy = model } = end
  return {
    text,
    answered,
    // A model may name a passage that it was not given.
    cited: cited.filter((place) => passages[place] !== undefined),
    // One that says more than it may is not paid for it.
    outputTokens: Math.min(outputTokens, maxTokens),
    milliseconds: Math.round(performance.now() - started),
    model: madeBy.model,
    disclaimer: madeBy.disclaimer,
  }
}
