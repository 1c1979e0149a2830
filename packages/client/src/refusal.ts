import { Refused } from './errors.ts'

type Fields = { readonly [name: string]: unknown }

/** Reads the shapes A {message, error: {code, details}}, B {message, code, details} and C {error: {code, message, details}}. */
export function refusalOf(status: number, headers: Headers, body: Fields): Refused {
  const error = fieldsIn(body['error'])
  const details = fieldsIn(error['details'] ?? body['details'])
  const code = textIn(error['code']) ?? textIn(body['code']) ?? `HTTP_${status}`
  const message =
    textIn(error['message']) ?? textIn(body['message']) ?? `The server answered ${status}, and no more.`
  return new Refused(code.toUpperCase(), message, {
    status,
    details,
    suggestion: textIn(body['suggestion'] ?? details['suggestion']) ?? null,
    requestId: headers.get('x-request-id'),
    retryAfterMs: retryAfter(headers.get('retry-after')),
  })
}

const textIn = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

const fieldsIn = (value: unknown): Fields => (typeof value === 'object' && value !== null ? { ...value } : {})

/** Whole seconds or a date, in milliseconds from now. */
function retryAfter(value: string | null): number | null {
  if (value === null) return null
  const milliseconds = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now()
  return Number.isFinite(milliseconds) ? Math.max(0, milliseconds) : null
}

/** What a text holds as JSON; nothing where it holds no object. */
export function jsonIn(text: string): Fields {
  try {
    return fieldsIn(JSON.parse(text))
  } catch {
    return {}
  }
}
