import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { openApiDocument } from '@medialog/contract/http'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, temporaryDataFolder, type RunningServer } from '../harness/server.ts'
import { asAccount, asOperator } from '../harness/client.ts'
import { answerProblem, operationsOf, type Answer, type Operation } from './document.ts'
import { Known } from './known.ts'
import { requestTo, type WireRequest } from './requests.ts'

/** In all; `npm run fuzz` sends many more. */
const REQUESTS = Number(process.env['MEDIALOG_FUZZ_REQUESTS'] ?? 1_000)

const document = openApiDocument()
const operations = operationsOf(document)
const each = Math.ceil(REQUESTS / operations.length)

const FILES = [
  'documents/sample.docx',
  'data/sample.html',
  'images/sample.png',
  '3d/sample.glb',
  'spreadsheet/sample.csv',
].map((name) => readFileSync(new URL(`../../fixtures/${name}`, import.meta.url)))

let folder: Awaited<ReturnType<typeof temporaryDataFolder>>
let server: RunningServer
let apiKey: string
let known: Known
const agent = new Agent({ keepAlive: true })

beforeAll(async () => {
  folder = await temporaryDataFolder()
  const limits = 'free=1000000,standard=1000000,enterprise=1000000'
  server = await startServer({
    dataFolder: folder.path,
    env: { MEDIALOG_RATE_LIMITS: limits, MEDIALOG_LOG_LEVEL: 'error' },
  })
  apiKey = server.apiKey!
  const client = asAccount(server.url, apiKey)
  const operator = asOperator(server.url, server.operatorToken)
  const { user_id: own } = (await client.request('GET', '/v1/usage')).body.data.account_info
  await operator.request('POST', `/admin/accounts/${own}/credits`, { json: { amount: 100_000 } })
  known = new Known([own, apiKey.split('_')[1]!])
  const json = { name: 'somebody else', credit: 1 }
  known.gather((await operator.request('POST', '/admin/accounts', { json })).body)
  for (const text of ['Whales sleep upright.', 'Iceland has many volcanoes.'])
    known.gather((await client.upload('known.txt', text)).body)
})
afterAll(async () => {
  agent.destroy()
  await server.stop()
  await folder.remove()
})

function secretsFor({ security }: Operation): { [header: string]: string } {
  const schemes = security.flatMap((scheme) => Object.keys(scheme))
  return {
    ...(schemes.includes('apiKey') && { 'x-api-key': apiKey }),
    ...(schemes.includes('operatorToken') && { 'x-operator-token': server.operatorToken }),
    ...(schemes.includes('operatorBearer') && { authorization: `Bearer ${server.operatorToken}` }),
  }
}

async function send(operation: Operation, { method, path, headers, body }: WireRequest): Promise<Answer> {
  const request = httpRequest(server.url + path, {
    agent,
    method,
    headers: { ...headers, ...secretsFor(operation), 'content-length': body?.length ?? 0 },
  })
  request.end(body ?? undefined)
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const [contentType = ''] = (response.headers['content-type'] ?? '').split(';')
  // A feed goes on until its reader leaves.
  const isEndless = operation.operationId === 'followEvents' && response.statusCode === 200
  if (isEndless) response.destroy()
  return { status: response.statusCode!, contentType, text: isEndless ? '' : await text(response) }
}

test.each(operations.map((operation) => [operation.operationId, operation] as const))(
  '%s answers any request as documented, and never fails inside',
  async (_id, operation) => {
    await fc.assert(
      fc.asyncProperty(requestTo(operation, { document, known }, FILES), async (request) => {
        const answer = await send(operation, request)
        const told = `${request.method} ${request.path}\n${answer.status} ${answer.text.slice(0, 2000)}`
        expect(answer.status, told).toBeLessThan(500)
        expect(answerProblem(document, operation, answer), told).toBeNull()
        if (answer.status === 200 && answer.contentType === 'application/json')
          known.gather(JSON.parse(answer.text))
      }),
      { numRuns: each },
    )
    expect(server.errors()).not.toContain('request failed')
  },
  60_000 + each * 2_000,
)
