import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'

export interface Answer {
  status: number
  headers: Headers
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of every shape
  body: any
}

/** A small HTTP client of the service, as a user's own would be. */
export interface Client {
  request(
    method: string,
    path: string,
    options?: { json?: unknown; form?: FormData; headers?: Record<string, string> },
  ): Promise<Answer>
  upload(
    filename: string,
    bytes: Uint8Array | string,
    fields?: Record<string, string>,
    headers?: Record<string, string>,
  ): Promise<Answer>
  uploadFile(path: string, fields?: Record<string, string>): Promise<Answer>
  batch(
    files: readonly { filename: string; bytes: Uint8Array | string }[],
    fields?: Record<string, string>,
    headers?: Record<string, string>,
  ): Promise<Answer>
}

export const connect = (url: string, headers: Record<string, string>): Client =>
  clientOf(async (method, path, { json, form, headers: more } = {}) => {
    const body = json === undefined ? form : JSON.stringify(json)
    const response = await fetch(url + path, {
      method,
      headers: { ...headers, ...(json !== undefined && { 'content-type': 'application/json' }), ...more },
      ...(body !== undefined && { body }),
    })
    // A feed goes on until its reader leaves.
    const isFeed = path.startsWith('/v1/events') && response.ok
    if (isFeed) await response.body!.cancel()
    const text = isFeed ? '' : await response.text()
    const isJson = /[/+]json\b/.test(response.headers.get('content-type') ?? '')
    const answer = {
      status: response.status,
      headers: response.headers,
      body: isJson ? JSON.parse(text) : text,
    }
    return explained(answer, `${method} ${path}`)
  })

/** A refusal has no `data`: looking for it says what was refused, and why. */
function explained(answer: Answer, request: string): Answer {
  const { status, body } = answer
  if (status >= 400 && typeof body === 'object' && !('data' in body))
    Object.defineProperty(body, 'data', {
      get() {
        throw new Error(`${request} was answered ${status}: ${JSON.stringify(body)}`)
      },
    })
  return answer
}

/** Each request goes to the next of those that are there now, whatever it asks. */
export function takingTurns(clients: () => readonly Client[]): Client {
  let turn = 0
  return clientOf((...asked) => {
    const now = clients()
    return now[turn++ % now.length]!.request(...asked)
  })
}

function clientOf(request: Client['request']): Client {
  const client: Client = {
    request,
    upload(filename, bytes, fields = {}, more = {}) {
      const form = new FormData()
      for (const [name, value] of Object.entries(fields)) form.set(name, value)
      form.set('file', new Blob([bytes]), filename)
      return client.request('POST', '/v1/media', { form, headers: more })
    },
    batch(files, fields = {}, more = {}) {
      const form = new FormData()
      for (const [name, value] of Object.entries(fields)) form.set(name, value)
      for (const { filename, bytes } of files) form.append('file', new Blob([bytes]), filename)
      return client.request('POST', '/v1/batches', { form, headers: more })
    },
    uploadFile: async (path, fields) => client.upload(basename(path), await readFile(path), fields),
  }
  return client
}

/** The same client, whose requests say more. */
export const withHeaders = (client: Client, more: Record<string, string>): Client =>
  clientOf((method, path, { headers, ...options } = {}) =>
    client.request(method, path, { ...options, headers: { ...headers, ...more } }),
  )

export const asAccount = (url: string, apiKey: string): Client => connect(url, { 'x-api-key': apiKey })
export const asOperator = (url: string, token: string): Client => connect(url, { 'x-operator-token': token })
