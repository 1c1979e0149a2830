import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { useServer } from '../harness/suite.ts'
import { paste, shellBlocks } from './pasting.ts'

vi.setConfig({ testTimeout: 240_000 })
const server = useServer()

/** The commands of the page's worked example, in order. */
async function commands(): Promise<string[]> {
  const page = await readFile(new URL('../../../docs/audit.md', import.meta.url), 'utf8')
  const example = page.split('## A worked example')[1]!.split(/^## /m)[0]!
  return shellBlocks(example)
}

test('the worked example of docs/audit.md runs as pasted', async () => {
  const { accountId } = await server.openAccount(1)
  const { body: key } = await server.operator.request('POST', `/admin/accounts/${accountId}/keys`, {
    json: {},
  })
  const folder = await mkdtemp(join(tmpdir(), 'medialog-example-'))
  const cli = new URL('../../../packages/cli/medialog.mjs', import.meta.url).pathname
  await writeFile(join(folder, 'medialog'), `#!/bin/sh\nexec "${process.execPath}" "${cli}" "$@"\n`)
  await chmod(join(folder, 'medialog'), 0o755)
  const place = { server: server.running, apiKey: key.data.api_key, cwd: folder, home: folder }
  const blocks = await commands()
  expect(blocks.length).toBeGreaterThan(4)
  const said: string[] = []
  for (const block of blocks) said.push(await paste(block, place))
  const all = said.join('\n')
  for (const shown of ['ferry.txt', 'Each refund has its charge', 'DOCUMENT_PROCESSING', 'intact'])
    expect(all).toContain(shown)
  const [before, after] = [said[1]!, said.at(-1)!]
  for (const event of ['MediaIngested', 'BalanceCharged', 'RequestCompleted', 'ItemsMoved', 'ChargeSettled'])
    expect(before).toContain(event)
  expect(after).toMatch(/MediaDeleted[^]*deleted, and erased/)
  expect(after).not.toContain('ferry.txt')
  expect(all).not.toContain('✗')
  expect(await readFile(join(folder, 'statement.html'), 'utf8')).toContain('<h1>Statement')
  await rm(folder, { recursive: true })
})
