import { execFile } from 'node:child_process'
import { createServer, request, type Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, temporaryDataFolder, type RunningServer } from '../harness/server.ts'

const MANIFEST = createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json')
const CONFORMANCE = join(dirname(MANIFEST), 'dist/index.js')

/**
 * The protocol's own tests of what every server has. The others ask for tools, prompts and addresses of the protocol's example
 * server, or for what the protocol dropped since (sessions, logging).
 */
const SCENARIOS = ['server-initialize', 'ping', 'tools-list', 'resources-list', 'dns-rebinding-protection']

let folder: Awaited<ReturnType<typeof temporaryDataFolder>>
let server: RunningServer
let keyed: Server

beforeAll(async () => {
  folder = await temporaryDataFolder()
  server = await startServer({ dataFolder: folder.path })
  // The tests know no key.
  keyed = createServer((asked, answered) => {
    const { method, headers } = asked
    const onward = request(new URL(asked.url!, server.url), {
      method,
      headers: { ...headers, 'x-api-key': server.apiKey! },
    })
    onward.on('response', (response) => {
      answered.writeHead(response.statusCode!, response.headers)
      response.pipe(answered)
    })
    onward.on('error', () => answered.destroy())
    asked.pipe(onward)
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => keyed.once('listening', resolve))
})
afterAll(async () => {
  keyed.close()
  await server.stop()
  await folder.remove()
})

test.each(SCENARIOS)('%s', async (scenario) => {
  const url = `http://127.0.0.1:${(keyed.address() as AddressInfo).port}/mcp`
  const words = [CONFORMANCE, 'server', '--url', url, '--scenario', scenario]
  const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: folder.path })
  expect(stdout).toMatch(/Passed: ([1-9]\d*)\/\1, 0 failed/)
})
