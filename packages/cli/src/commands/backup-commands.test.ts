import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { unpackDataFolder } from '@medialog/test/harness/data-folders'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { medialog } from '../testing/medialog.ts'

let root: string
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'medialog-cli-backup-'))
  unpackDataFolder('release-0.1', join(root, 'data'))
})
afterAll(() => rmSync(root, { recursive: true }))

const run = (...args: string[]) =>
  medialog(
    args.map((arg) => arg.replace(/^\//, `${root}/`)),
    { env: {} },
  )

test('backup, the list of erasures and restore say what they did', async () => {
  const backup = await run('backup', '/backup', '--data-dir', '/data')
  expect(backup).toMatchObject({ code: 0, stderr: '' })
  expect(backup.stdout).toMatch(
    /^The backup is whole\.\nmade at .*\nevents +18, up to position 20\nitems +3\naccounts +1, \$9\.84 together\n/,
  )
  expect(backup.stdout).toMatch(
    /\nartifacts +6 files, .* 6 new, 0 gone\ncheckpoint +medialog\/\w+ 18 \S+=\nkey +medialog\//,
  )

  const list = await run('erasures', 'export', '/list.json', '--data-dir', '/data')
  expect(list).toMatchObject({ code: 0, stdout: '1 item that was deleted, 0 accounts closed.\n' })
  expect(JSON.parse(readFileSync(join(root, 'list.json'), 'utf8'))).toMatchObject({
    deleted: [{ media_id: '6512ce4c-21c5-5be2-a425-aaa9cad8aa4c' }],
  })

  const restored = await run('restore', '/backup', '--data', '/restored', '--erasures', '/list.json')
  expect(restored).toMatchObject({ code: 0, stderr: '' })
  expect(restored.stdout).toMatch(
    /^The data folder is whole: .*\n(?:.*\n)*items +3\naccounts +1, \$9\.84 together\n(?:.*\n)*erased again +0 items, 0 accounts\n/,
  )
})

test('an encrypted backup is listed, verified and restored with its key alone', async () => {
  const key = await run('backup', 'key', '/backup.key', '--json')
  const { recipient } = JSON.parse(key.stdout) as { recipient: string }
  const backup = await run(
    'backup',
    '/sealed',
    '--encrypt-to',
    recipient,
    '--keep',
    '2',
    '--data-dir',
    '/data',
  )
  expect(backup).toMatchObject({ code: 0, stderr: '' })
  expect(backup.stdout).toMatch(/^The backup is whole, and encrypted\.\n/)
  const listed = await run('backup', 'list', '/sealed')
  expect(listed.stdout).toMatch(new RegExp(`^BACKUP .*\n\\S+ +20\\S+ \\S+ +0\\.\\S+ +${recipient}\n$`))
  const [, name] = /\n(\S+)/.exec(listed.stdout)!

  const opened = ['--identity', '/backup.key', '--backup', name!]
  const verified = await run('backup', 'verify', '/sealed', ...opened, '--sample', '1')
  expect(verified).toMatchObject({ code: 0, stderr: '' })
  expect(verified.stdout).toMatch(
    /^The backup is whole: .*\n(?:.*\n)*artifacts +6 files, all there; 2 read\n/,
  )
  const unopened = await run('backup', 'verify', '/sealed')
  expect(unopened).toMatchObject({ code: 1, stdout: '' })
  expect(unopened.stderr).toContain('--identity FILE')

  const restored = await run('restore', '/sealed', '--data', '/unsealed', '--without-erasures', ...opened)
  expect(restored).toMatchObject({ code: 0, stderr: '' })
  expect(restored.stdout).toMatch(/\nitems +3\n/)
})

test('what cannot be done is said in a line, with exit code 1', async () => {
  const nothing = await run('backup', '/elsewhere', '--data-dir', '/nothing')
  expect(nothing).toMatchObject({ code: 1, stdout: '' })
  expect(nothing.stderr).toMatch(/^Error: \S+nothing is no data folder: there is no log in it\. .*\n$/)
  const applied = await run('erasures', 'apply', '/list.json', '--data-dir', '/data')
  expect(applied).toMatchObject({ code: 1, stdout: '' })
  expect(applied.stderr).toMatch(/^Error: EVENTSTOREDB_URL is not set: .*restore --erasures`\.\n$/)
  const unread = await run('restore', '/data', '--data', '/other', '--erasures', '/nowhere.json', '--json')
  expect([unread.code, JSON.parse(unread.stderr)]).toEqual([
    1,
    {
      error: { code: 'REFUSED', message: expect.stringContaining('nowhere.json cannot be read') as string },
      exit_code: 1,
    },
  ])
})

test('a restore has to be told what was erased, or that there is no list', async () => {
  for (const options of [[], ['--erasures', '/list.json', '--without-erasures']]) {
    const refused = await run('restore', '/backup', '--data', '/other', ...options)
    expect([refused.code, refused.stdout]).toEqual([2, ''])
    expect(refused.stderr).toContain('--without-erasures')
  }
})
