import { request, type Agent } from 'node:http'

export interface Call {
  method: string
  path: string
  headers: Record<string, string>
  body?: string
}

/** Sends one request and reads its whole answer. Rejects unless it is a 200. */
export function send(
  agent: Agent,
  url: string,
  { method, path, headers, body }: Call,
): Promise<{ body: Buffer; milliseconds: number }> {
  const begun = performance.now()
  return new Promise((resolve, reject) => {
    const sent = request(url + path, { agent, method, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const answered = Buffer.concat(chunks)
        if (response.statusCode === 200) resolve({ body: answered, milliseconds: performance.now() - begun })
        else reject(new Error(`${method} ${path}: ${response.statusCode} ${answered.toString()}`))
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
