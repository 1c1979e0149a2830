import { randomUUID } from 'node:crypto'
import type { AnswerToQuestion, FileAnalysis } from './answers.ts'
import type { Client } from './client.ts'
import { CliError, Interrupted } from './errors.ts'
import { serverEvents } from './event-stream.ts'
import type { FilePart } from './multipart.ts'
import { withRetry } from './retry.ts'
import { sendForm } from '../upload/send-form.ts'

const ATTEMPTS = 3

/** Asks under one Idempotency-Key, so that however often it is tried, it is paid once. @throws as `Client.call` */
export function askQuestion(client: Client, json: object, signal: AbortSignal): Promise<AnswerToQuestion> {
  const headers = { 'idempotency-key': randomUUID() }
  const send = async () =>
    (await client.call<AnswerToQuestion>('POST', '/v1/ai/query', { json, headers, signal })).data
  return withRetry(send, { attempts: ATTEMPTS, signal })
}

/** The same, told piece by piece while it is made. */
export async function streamAnswer(
  client: Client,
  json: object,
  signal: AbortSignal,
  onText: (text: string) => void,
): Promise<AnswerToQuestion> {
  const headers = { 'idempotency-key': randomUUID() }
  const open = () => client.open('POST', '/v1/ai/query', { json: { ...json, stream: true }, headers, signal })
  const response = await withRetry(open, { attempts: ATTEMPTS, signal })
  const answer = { response: '' } as { -readonly [Part in keyof AnswerToQuestion]: AnswerToQuestion[Part] }
  try {
    for await (const { name, data } of serverEvents(response)) {
      const told = JSON.parse(data) as AnswerToQuestion & { text: string; code: string; message: string }
      if (name === 'delta') {
        answer.response += told.text
        onText(told.text)
      } else if (name === 'sources') answer.sources = told.sources
      else if (name === 'billing') answer.billing = JSON.parse(data) as AnswerToQuestion['billing']
      else if (name === 'error') throw new CliError(told.code, told.message)
      else if (name === 'done')
        return Object.assign(answer, { request: told.request, media_context: told.media_context })
    }
  } catch (error) {
    if (signal.aborted) throw new Interrupted()
    throw error
  } finally {
    response.destroy()
  }
  throw new CliError('BROKEN_OFF', 'The answer broke off before it was complete.')
}

/** Sends one file with a question, streamed from disk, under one Idempotency-Key. @throws as `Client.call` */
export function analyzeFile(
  client: Client,
  file: FilePart,
  fields: { readonly [name: string]: string | undefined },
  signal: AbortSignal,
): Promise<FileAnalysis> {
  const form = { path: '/v1/ai/analyze', fields, files: [file], idempotencyKey: randomUUID() }
  const controls = { stop: signal, leave: signal, onSent: () => {} }
  return withRetry(() => sendForm<FileAnalysis>(client, form, controls), { attempts: ATTEMPTS, signal })
}
