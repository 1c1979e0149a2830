import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { createClient, type Client } from '@medialog/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { MedialogRetriever as OfLangChain } from '../../../examples/langchain/retriever.ts'
import { MedialogRetriever as OfLlamaIndex } from '../../../examples/llamaindex/retriever.ts'
import { startServer, temporaryDataFolder, type RunningServer } from '../harness/server.ts'
import { describeWithTool } from '../tools.ts'

const IN_PYTHON = fileURLToPath(new URL('../../../examples/use_retrievers.py', import.meta.url))
const QUESTION = 'when did the bridge open'

let folder: Awaited<ReturnType<typeof temporaryDataFolder>>
let server: RunningServer
let client: Client

beforeAll(async () => {
  folder = await temporaryDataFolder()
  server = await startServer({ dataFolder: folder.path })
  client = createClient({ url: server.url, apiKey: server.apiKey! })
  for (const [name, text] of [
    ['bridge.txt', 'The Tacoma Narrows bridge opened in 1940.'],
    ['whales.txt', 'Whales sleep upright, close to the surface.'],
  ] as const)
    await client.uploadMedia({ file: { name, content: Buffer.from(text) }, collection_id: 'examples' })
})
afterAll(async () => {
  client.close()
  await server.stop()
  await folder.remove()
})

test('LangChain gets the passages that match, with where they come from', async () => {
  const retriever = new OfLangChain({ client, search: { collections: 'examples', max_results: 1 } })
  const [document, ...others] = await retriever.invoke(QUESTION)
  expect(others).toEqual([])
  expect(document!.pageContent).toContain('1940')
  expect(document!.metadata).toMatchObject({
    filename: 'bridge.txt',
    collection: 'examples',
    media_type: 'document',
  })
})

test('so does LlamaIndex', async () => {
  const retriever = new OfLlamaIndex(client, { collections: 'examples', max_results: 1 })
  const [found, ...others] = await retriever.retrieve({ query: QUESTION })
  expect(others).toEqual([])
  expect(found!.score).toBeGreaterThan(0.1)
  expect(found!.node.metadata).toMatchObject({ filename: 'bridge.txt' })
})

describeWithTool('pythonClient', 'in Python', (python) => {
  test('both do, waiting and awaited', () => {
    const env = {
      PATH: process.env['PATH'],
      MEDIALOG_URL: server.url,
      MEDIALOG_API_KEY: server.apiKey!,
      PYTHONDONTWRITEBYTECODE: '1',
    }
    expect(execFileSync(python, [IN_PYTHON], { cwd: folder.path, env, encoding: 'utf8' })).toBe('done\n')
  })
})
