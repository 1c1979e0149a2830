import type { Open, OpenOptions } from './calls.ts'
import { MedialogError } from './errors.ts'
import type { Operations } from './operations.ts'
import type { Input } from './declared.ts'
import { wasReplayed } from './requests.ts'
import { serverSentEvents } from './server-sent-events.ts'

type AnswerToQuestion = Operations['ask']['data']

/** The next piece of an answer, and at the end all of it, with its sources and its price. */
export type AnswerEvent =
  | { type: 'delta'; text: string }
  | { type: 'done'; answer: AnswerToQuestion; replayed: boolean }

type Told = { -readonly [Part in keyof AnswerToQuestion]: AnswerToQuestion[Part] } & {
  text: string
  code: string
  message: string
}

export async function* streamAnswer(
  open: Open,
  input: Input,
  options: OpenOptions = {},
): AsyncGenerator<AnswerEvent, void, undefined> {
  const reply = await open('ask', { ...input, stream: true }, { ...options, accept: 'text/event-stream' })
  const answer = { response: '' } as Told
  try {
    for await (const { name, data } of serverSentEvents(reply.body)) {
      const told = JSON.parse(data) as Told
      if (name === 'delta') {
        answer.response += told.text
        yield { type: 'delta', text: told.text }
      } else if (name === 'sources') answer.sources = told.sources
      else if (name === 'billing') answer.billing = JSON.parse(data) as Told['billing']
      else if (name === 'error') throw new MedialogError(told.code, told.message)
      else if (name === 'done') {
        const { request, media_context } = told
        yield {
          type: 'done',
          answer: { ...answer, request, ...(media_context && { media_context }) },
          replayed: wasReplayed(reply),
        }
        return
      }
    }
  } finally {
    reply.cancel()
  }
  throw new MedialogError('BROKEN_OFF', 'The answer broke off before it was complete.')
}
