import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EngineUnavailable } from '@medialog/application/ports'
import { expect, test } from 'vitest'
import { receiptOf } from '../receipt.ts'
import { openS3ArtifactStore } from './artifact-store.ts'
import { bucketOf, openBucket, type Bucket } from './bucket.ts'
import { openS3KeptAnswers } from './kept-answers.ts'
import { openS3Staging } from './staging.ts'

type Answering = (request: IncomingMessage, response: ServerResponse) => void

const BYTES = Buffer.from('text')
const UUID = '0f8fad5b-d9cb-4690-a165-708676729000'
const INGEST = { accountId: UUID, mediaId: UUID, ingestId: UUID }
const SECRET = 'never-to-be-shown'
const refusal = `<Error><Code>SignatureDoesNotMatch</Code><StringToSign>${SECRET}</StringToSign></Error>`

const answering =
  (status: number, body = ''): Answering =>
  (request, response) => {
    request.resume()
    request.on('end', () => response.writeHead(status, { 'content-type': 'application/xml' }).end(body))
  }
const silent: Answering = () => {}
const cut: Answering = (request) => void request.once('data', () => request.socket.destroy())

/** Storage that answers as listed, and repeats the last answer. */
async function storage(...answers: Answering[]) {
  const seen: string[] = []
  const server = createServer((request, response) => {
    const answer = answers[Math.min(seen.length, answers.length - 1)]!
    seen.push(`${request.method} ${request.url}`)
    answer(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const settings = {
    url: `http://127.0.0.1:${port}`,
    bucket: 'b',
    region: 'r',
    accessKeyId: 'id',
    secretAccessKey: SECRET,
  }
  const close = async () => {
    server.close()
    server.closeAllConnections()
  }
  return { seen, settings, bucket: bucketOf(settings, 500), [Symbol.asyncDispose]: close }
}

const put = (bucket: Bucket) => bucket.put('key', BYTES, receiptOf(BYTES).sha256)

async function expectFailure(work: Promise<unknown>): Promise<EngineUnavailable> {
  const error: unknown = await work.catch((error: unknown) => error)
  expect(error).toBeInstanceOf(EngineUnavailable)
  return error as EngineUnavailable
}

test.each([
  ['answers 500', answering(500)],
  ['answers 503', answering(503)],
  ['cuts the connection', (request: IncomingMessage) => void request.socket.destroy()],
  ['is silent', silent],
])('storage that %s is unavailable for every operation, in bounded time', async (_, answer) => {
  await using away = await storage(answer)
  const { bucket } = away
  const artifacts = openS3ArtifactStore(bucket)
  const answers = openS3KeptAnswers(bucket)
  const ref = { requestId: UUID, at: 1 }
  await Promise.all([
    expectFailure(artifacts.put(INGEST, 'text.txt', BYTES)),
    expectFailure(artifacts.add(INGEST, 'text.txt', BYTES)),
    expectFailure(artifacts.retain(INGEST, [])),
    expectFailure(artifacts.deleteIngest(INGEST)),
    expectFailure(artifacts.list()[Symbol.asyncIterator]().next()),
    expectFailure(artifacts.check()),
    expectFailure(answers.put(ref, BYTES)),
    expectFailure(answers.sweep(1)),
  ])
})

test('what passes is tried again, a refusal is not', async () => {
  await using stumbling = await storage(answering(503), cut, answering(500), answering(200))
  await put(stumbling.bucket)
  expect(stumbling.seen).toHaveLength(4)
  await using refusing = await storage(answering(403, refusal))
  await expectFailure(put(refusing.bucket))
  expect(refusing.seen).toHaveLength(1)
})

test('nothing that the storage says of keys and signatures is passed on', async () => {
  await using refusing = await storage(answering(403, refusal))
  const error = await expectFailure(put(refusing.bucket))
  expect(error.message).toBe('object storage: answered 403 SignatureDoesNotMatch')
  expect(error.cause).toBeUndefined()
  await expect(openBucket(refusing.settings)).rejects.toThrow('S3_ACCESS_KEY_ID')
})

test('an upload that is cut off in its middle leaves nothing behind, and what may have arrived is removed later', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'medialog-s3-'))
  await using cutting = await storage(cut, cut, cut, cut, answering(204))
  const staging = await openS3Staging(cutting.bucket, { folder, shared: false })
  const source = (async function* () {
    for (let chunk = 0; chunk < 50; chunk++) yield Buffer.alloc(100_000)
  })()
  await expectFailure(staging.stage(source, () => Infinity))
  expect(await readdir(folder)).toEqual([])
  await expect.poll(() => cutting.seen.at(-1), { timeout: 30_000 }).toMatch(/^DELETE \/b\/staging\//)
  await staging.close()
  await rm(folder, { recursive: true, force: true })
})

test('releasing a file does not fail while the storage is unavailable', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'medialog-s3-'))
  await using away = await storage(answering(200), answering(500))
  const staging = await openS3Staging(away.bucket, { folder, shared: false })
  const source = (async function* () {
    yield BYTES
  })()
  const { id } = await staging.stage(source, () => Infinity)
  await staging.release(id)
  expect(await readdir(folder)).toEqual([])
  await expectFailure(staging.sweep(async () => new Set()))
  await expectFailure(staging.reopen(id))
  await staging.close()
  await rm(folder, { recursive: true, force: true })
})
