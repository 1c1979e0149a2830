import { execFileSync } from 'node:child_process'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { asAccount, type Client } from '../harness/client.ts'
import { startServer, temporaryDataFolder, type RunningServer } from '../harness/server.ts'

const FIXTURES = new URL('../../fixtures/images/', import.meta.url).pathname

let folder: Awaited<ReturnType<typeof temporaryDataFolder>>
let server: RunningServer
let client: Client
beforeAll(async () => {
  folder = await temporaryDataFolder()
  server = await startServer({ dataFolder: folder.path, env: { MEDIALOG_PREVIEWS: 'on' } })
  client = asAccount(server.url, server.apiKey!)
})
afterAll(async () => {
  await server.stop()
  await folder.remove()
})

const bytesStored = async (): Promise<number> =>
  (await client.request('GET', '/v1/usage')).body.data.storage_usage.total.size_gb * 1e9
const read = async (id: string) =>
  (await client.request('GET', `/v1/media/${id}?include_chunks=true`)).body.data

test('a preview is kept, listed, counted, and erased with the item, also after the setting is off', async () => {
  const { body } = await client.uploadFile(`${FIXTURES}sample.jpg`)
  const id: string = body.data.media_id
  const item = await read(id)
  expect(item.content.preview).toMatch(/^data:image\/jpeg;base64,\/9j\//)
  const jpeg = Buffer.from(item.content.preview.split(',')[1], 'base64')
  const { width, height } = item.metadata.modality.visual_attributes.preview
  expect(Math.max(width, height)).toBe(256)
  const listed = await client.request('GET', '/v1/media')
  expect(listed.body.data.items[0].metadata.modality.visual_attributes.preview).toEqual({ width, height })
  const withPreview = await bytesStored()

  // What is read of a file that is not kept has none, and neither has a text.
  await client.upload('note.txt', 'No picture.')
  expect(
    (await read((await client.request('GET', '/v1/media')).body.data.items[0].media_id)).content,
  ).not.toHaveProperty('preview')

  await server.kill()
  const port = new URL(server.url).port
  server = await startServer({ dataFolder: folder.path, env: { PORT: port } })
  expect((await read(id)).content.preview).toBe(item.content.preview)
  expect(withPreview).toBeGreaterThan(jpeg.length)
  const other = await client.uploadFile(`${FIXTURES}sample.png`)
  expect((await read(other.body.data.media_id)).content).not.toHaveProperty('preview')

  const isThere = (): boolean => {
    // Base64 of its middle, as artifacts hold it.
    const part = jpeg.toString('base64').slice(400, 440)
    try {
      execFileSync('grep', ['-rqF', part, folder.path])
      return true
    } catch {
      return false
    }
  }
  expect(isThere()).toBe(true)
  const deleted = await client.request('DELETE', `/v1/media/${id}?receipt=true`)
  const names = Object.keys(deleted.body.data.erasure.receipt.items[0].artifacts)
  expect(names.some((name) => name.startsWith('key-frames-'))).toBe(true)
  expect(isThere()).toBe(false)
})
