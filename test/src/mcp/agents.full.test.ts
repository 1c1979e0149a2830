import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Transport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, test } from 'vitest'
import { ownEnvironment } from '../harness/cli.ts'
import { BEFORE, connected, CURRENT, dataOf, describeAgents, errorOf } from './suite.ts'

const CLI = new URL('../../../packages/cli/medialog.mjs', import.meta.url).pathname

const startedWith =
  (words: readonly string[]) =>
  (url: string, apiKey: string): Transport =>
    new StdioClientTransport({
      command: process.execPath,
      args: [CLI, 'mcp', '--url', url, ...words],
      env: { ...(ownEnvironment() as Record<string, string>), MEDIALOG_API_KEY: apiKey },
      stderr: 'inherit',
    })

const BY_COMMAND = startedWith([])

describeAgents('that start a command', BY_COMMAND, (service) => {
  test.each([
    ['names, by protocol of now', CURRENT, 'roots'],
    ['names, by protocol of before', BEFORE, 'roots'],
    ['is started with', CURRENT, 'allow'],
  ] as const)(
    'files are read below the folders that the program %s, and nowhere else',
    async (_, protocol, by) => {
      const { apiKey } = await service().openAccount('read', 'write')
      const allowed = join(service().folder, `allowed ${by} ${protocol}`)
      const other = join(service().folder, `other ${by} ${protocol}`)
      for (const folder of [allowed, other]) await mkdir(folder)
      const file = join(allowed, 'of-this-machine.md')
      await writeFile(file, `# Girders\n\nThey are deep. ${by} ${protocol}`)
      const secret = join(other, 'secret.txt')
      await writeFile(secret, 'It is nobody’s business.')
      await symlink(secret, join(allowed, 'link.txt'))
      const words = by === 'allow' ? ['--allow', allowed] : []
      const roots = by === 'roots' ? [allowed] : null
      await using near = await connected(startedWith(words)(service().url, apiKey), protocol, roots)
      const upload = (path: string) => near.callTool({ name: 'upload', arguments: { path } })
      expect(dataOf(await upload(file))).toMatchObject({ cost_usd: 0.04, filename: 'of-this-machine.md' })
      for (const [path, code] of [
        [secret, 'PATH_NOT_ALLOWED'],
        [join(allowed, 'link.txt'), 'PATH_NOT_ALLOWED'],
        [`${allowed}/../other ${by} ${protocol}/secret.txt`, 'PATH_NOT_ALLOWED'],
        ['/etc/shadow', 'PATH_NOT_ALLOWED'],
        ['/etc/no such file', 'PATH_NOT_ALLOWED'],
        [join(allowed, 'no such file.txt'), 'UNREADABLE_FILE'],
      ] as const)
        expect([path, errorOf(await upload(path)).code]).toEqual([path, code])
      await mkdir(join(allowed, 'inner'))
      expect(errorOf(await upload(join(allowed, 'inner'))).message).toMatch(/is a folder/)
      expect(dataOf(await near.callTool({ name: 'usage', arguments: {} }))).toMatchObject({ spent_usd: 0.04 })
    },
  )

  test('without a folder no file is read by its path', async () => {
    const { apiKey } = await service().openAccount('read', 'write')
    const file = join(service().folder, 'nowhere.txt')
    await writeFile(file, 'Nothing allows it.')
    await using near = await connected(BY_COMMAND(service().url, apiKey), CURRENT)
    expect(errorOf(await near.callTool({ name: 'upload', arguments: { path: file } })).message).toMatch(
      /--allow/,
    )
  })
})
