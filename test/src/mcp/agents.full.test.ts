import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Transport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, test } from 'vitest'
import { ownEnvironment } from '../harness/cli.ts'
import { connected, CURRENT, dataOf, describeAgents } from './suite.ts'

const CLI = new URL('../../../packages/cli/medialog.mjs', import.meta.url).pathname

const BY_COMMAND = (url: string, apiKey: string): Transport =>
  new StdioClientTransport({
    command: process.execPath,
    args: [CLI, 'mcp', '--url', url],
    env: { ...(ownEnvironment() as Record<string, string>), MEDIALOG_API_KEY: apiKey },
    stderr: 'inherit',
  })

describeAgents('that start a command', BY_COMMAND, (service) => {
  test('a file of this machine is stored by its path', async () => {
    const { apiKey } = await service().openAccount('read', 'write')
    const path = join(service().folder, 'of-this-machine.md')
    await writeFile(path, '# Girders\n\nThey are deep.')
    await using near = await connected(BY_COMMAND(service().url, apiKey), CURRENT)
    expect(dataOf(await near.callTool({ name: 'upload', arguments: { path } }))).toMatchObject({
      cost_usd: 0.04,
    })
  })
})
