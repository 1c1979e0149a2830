import type { IncomingMessage } from 'node:http'
import { Refused } from './errors.ts'

/** Reads the shapes A {message, error: {code, details}}, B {message, code, details} and C {error: {code, message, details}}. */
export function readRefusal(response: IncomingMessage, text: string, isOperator: boolean): Refused {
  const status = response.statusCode!
  const body = lenientObject(text)
  const error = asObject(body.error)
  const details = asObject(error.details ?? body.details)
  const named = (textIn(error.code) ?? textIn(body.code) ?? `HTTP_${status}`).toUpperCase()
  const suggestion = body.suggestion ?? details.suggestion
  return new Refused({
    status,
    // One hint for the operator's secret, another for an account's.
    code: status === 401 && isOperator ? 'INVALID_OPERATOR_TOKEN' : named,
    message: textIn(error.message) ?? textIn(body.message) ?? `The server answered ${status}.`,
    details,
    hint: textIn(suggestion),
    requestId: header(response, 'x-request-id'),
    retryAfterMs: retryAfter(header(response, 'retry-after')),
  })
}

const textIn = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

const header = (response: IncomingMessage, name: string): string | null =>
  [response.headers[name]].flat()[0] ?? null

/** Whole seconds or a date, in milliseconds from now. */
function retryAfter(value: string | null): number | null {
  if (value === null) return null
  const milliseconds = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now()
  return Number.isFinite(milliseconds) ? Math.max(0, milliseconds) : null
}

const asObject = (value: unknown): { [name: string]: unknown } =>
  typeof value === 'object' && value !== null ? { ...value } : {}

function lenientObject(text: string): { [name: string]: unknown } {
  try {
    return asObject(JSON.parse(text))
  } catch {
    return {}
  }
}
