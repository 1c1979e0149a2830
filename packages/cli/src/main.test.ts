import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describeRelease, RELEASE } from '@medialog/server/release'
import { describe, expect, test } from 'vitest'
import { EXIT } from './client/errors.ts'
import { fakeContext } from './testing/context.ts'
import { KEY, TOKEN } from './testing/wire.ts'
import { medialog, start } from './testing/medialog.ts'

const context = fakeContext()
const { run } = context

describe('help, version, colours, pipes, profiles', () => {
  test('every command has help with an example', async () => {
    const commands = [
      'upload',
      'batch create',
      'batch show',
      'list',
      'show',
      'search',
      'similar',
      'delete',
      'usage',
      'audit replay',
      'audit statement',
      'audit diff',
      'audit reprice',
      'status',
      'keys create',
      'profile add',
      'log verify',
    ]
    const helps = await Promise.all(commands.map((command) => run(...command.split(' '), '--help')))
    for (const { code, stdout } of helps)
      expect([code, stdout]).toEqual([
        0,
        expect.stringMatching(/Global Options:[^]*Examples:\n {2}\$ medialog /),
      ])
    const { stdout: help } = await run('--help')
    for (const code of Object.values(EXIT))
      expect(help.slice(help.indexOf('Exit codes:'))).toContain(`\n  ${code}  `)
  })

  test('the version is the project’s', async () => {
    expect((await run('--version')).stdout).toBe(`${describeRelease(RELEASE)}\n`)
  })

  test('colours only when they are wanted', async () => {
    const coloured = await medialog(['list'], { env: { ...context.env, FORCE_COLOR: '1' } })
    expect(coloured.stdout).toContain('\u001b[36m')
    for (const [args, more] of [
      [['list'], {}],
      [['list', '--no-color'], { FORCE_COLOR: '1' }],
      [['list'], { FORCE_COLOR: '1', NO_COLOR: '1' }],
    ] as const)
      expect((await medialog(args, { env: { ...context.env, ...more } })).stdout).not.toContain('\u001b')
  })

  test('a reader that goes away is no error', async () => {
    const { child, ended } = start(['list', '--all', '--json'], { env: context.env })
    child.stdout.destroy()
    const { code, stderr } = await ended
    expect([0, 141]).toContain(code)
    expect(stderr).toBe('')
  })

  test('profiles are kept, used and forgotten', async () => {
    const bare = { env: { XDG_CONFIG_HOME: join(context.folder, 'config') }, cwd: context.folder }
    const added = await medialog(['profile', 'add', 'fake', '--url', context.server.url, '--key', KEY], bare)
    expect(added.stdout).toMatch(/\* +fake +http:\S+ +mlk_testtest_… +no/)
    expect((await medialog(['list'], bare)).code).toBe(0)
    // Secrets of the environment belong to the server that it names.
    const secrets = { MEDIALOG_API_KEY: KEY, MEDIALOG_OPERATOR_TOKEN: TOKEN }
    const withSecrets = { ...bare, env: { ...bare.env, ...secrets } }
    await medialog(['profile', 'add', 'other', '--url', 'https://other'], withSecrets)
    await medialog(['profile', 'add', 'held'], withSecrets)
    expect(JSON.parse((await medialog(['profile', 'list', '--json'], bare)).stdout)).toEqual({
      profiles: [
        { name: 'fake', current: true, url: context.server.url, key: 'mlk_testtest_…', operator_token: null },
        { name: 'other', current: false, url: 'https://other', key: null, operator_token: null },
        { name: 'held', current: false, url: null, key: 'mlk_testtest_…', operator_token: '…' },
      ],
    })
    expect((await medialog(['profile', 'use', 'nope'], bare)).code).toBe(2)
    await medialog(['profile', 'remove', 'fake'], bare)
    expect((await medialog(['list'], bare)).code).toBe(3)
  })

  test('a data folder is found by itself', async () => {
    const data = join(context.folder, 'data')
    mkdirSync(join(data, 'secrets'), { recursive: true })
    writeFileSync(join(data, 'server.json'), JSON.stringify({ url: context.server.url, pid: 1 }))
    writeFileSync(join(data, 'secrets', 'dev-api-key'), KEY)
    writeFileSync(join(data, 'secrets', 'operator-token'), TOKEN)
    expect((await medialog(['list'], { cwd: context.folder })).code).toBe(0)
    expect((await medialog(['accounts', 'list', '--data-dir', data])).code).toBe(0)
    rmSync(data, { recursive: true })
  })
})
