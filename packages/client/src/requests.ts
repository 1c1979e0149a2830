import type { Declared, Input } from './declared.ts'
import { MedialogError } from './errors.ts'
import type { FileSource } from './file-source.ts'
import { filePart } from './files.ts'
import { pathNames } from './names.ts'
import { operations, type OperationId } from './operations.ts'
import type { FilePart, Form } from './platform/transport.ts'

export const operation = (id: OperationId): Declared => operations[id]

export interface Secrets {
  apiKey?: string
  operatorToken?: string
}

/** The secret that goes with an operation. @throws MedialogError where it was not given */
export function secretOf(
  { access }: Declared,
  { apiKey, operatorToken }: Secrets,
): { [name: string]: string } {
  // The metrics alone ask for it.
  if (access === 'public') return operatorToken ? { authorization: `Bearer ${operatorToken}` } : {}
  if (access === 'operator') {
    if (operatorToken) return { 'x-operator-token': operatorToken }
    throw new MedialogError(
      'NO_OPERATOR_TOKEN',
      'This needs the operator token: give the client `operatorToken`.',
    )
  }
  if (apiKey) return { 'x-api-key': apiKey }
  throw new MedialogError('NO_API_KEY', 'This needs an API key: give the client `apiKey`.')
}

/** The address of an operation with an input's parameters. @throws TypeError */
export function addressOf({ path, query = [] }: Declared, input: Input, base: string): URL {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => segment(name, input[name]))
  const url = new URL(base.replace(/\/+$/, '') + filled)
  for (const name of query) {
    const value = input[name]
    if (value !== undefined && value !== null) url.searchParams.set(name, textOf(value))
  }
  return url
}

/** A text as it is, all else as JSON has it. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

function segment(name: string, value: unknown): string {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  // Dots alone would lead to another path.
  if (/^\.{0,2}$/.test(text)) throw new TypeError(`${name} is ${text === '' ? 'missing' : `"${text}"`}`)
  return encodeURIComponent(text)
}

/** What is neither in the path nor in the query string. */
export function fieldsOf({ path, query = [] }: Declared, input: Input): Input {
  const elsewhere = new Set([...query, ...pathNames(path)])
  return Object.fromEntries(
    Object.entries(input).filter(([name, value]) => !elsewhere.has(name) && value !== undefined),
  )
}

export type PreparedForm = Pick<Form, 'fields' | 'files'>

/** @throws what opening a path throws */
export async function formOf(fields: Input): Promise<PreparedForm> {
  const { file, ...others } = fields
  const sources = Array.isArray(file) ? (file as FileSource[]) : [file as FileSource]
  const files: FilePart[] = []
  for (const source of sources) files.push(await filePart(source))
  return {
    files,
    fields: Object.entries(others).map(([name, value]) => [name, textOf(value)]),
  }
}

/** Whether doing it twice is the same as doing it once, and possible. */
export const isRepeatable = ({ method, paid }: Declared, form: PreparedForm | null): boolean =>
  (method === 'GET' || method === 'PUT' || paid === true) &&
  (form === null || form.files.every((file) => file.isRepeatable))

/** `crypto.randomUUID` is missing on pages that came without TLS. */
export const newIdempotencyKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  )

/** Whether the Idempotency-Key was answered before. */
export const wasReplayed = ({ headers }: { headers: Headers }): boolean =>
  headers.get('idempotency-replayed') === 'true'
