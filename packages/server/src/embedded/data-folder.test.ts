import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { InvalidConfiguration } from '../config.ts'
import { readableStartError, UnusableDataFolder } from './data-folder.ts'

const FOLDER = '/srv/medialog'

const systemError = (code: string, path: string) =>
  Object.assign(new Error(`${code}: as the system says it, open '${path}'`), { code, path })

test.each([
  ['EACCES', '/srv', 'may not write to /srv (EACCES): give the folder to that user'],
  ['EPERM', `${FOLDER}/log`, `may not write to ${FOLDER}/log (EPERM)`],
  ['EROFS', `${FOLDER}/x`, 'is on a file system that is read-only (EROFS)'],
  ['ENOTDIR', `${FOLDER}/log`, 'is a file where a folder belongs (ENOTDIR)'],
  ['ENOSPC', `${FOLDER}/log`, `the disk is full (ENOSPC, ${FOLDER}/log)`],
  ['ENOENT', FOLDER, 'ENOENT: as the system says it'],
])('%s of %s is said of the data folder', (code, path, text) => {
  const error = readableStartError(systemError(code, path), FOLDER) as Error
  expect(error).toBeInstanceOf(UnusableDataFolder)
  expect(error.message).toContain(`the data folder ${FOLDER} cannot be used: `)
  expect(error.message).toContain(text)
  expect(error.message).not.toContain('\n')
})

test('a database that is none is said of the data folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'medialog-server-'))
  const path = join(folder, 'erased.sqlite')
  writeFileSync(path, 'garbage '.repeat(1_000))
  let error: unknown
  try {
    new DatabaseSync(path).exec('PRAGMA journal_mode = WAL')
  } catch (thrown) {
    error = thrown
  }
  expect(readableStartError(error, folder)).toMatchObject({
    message: expect.stringContaining('a database in it cannot be opened (file is not a database)'),
  })
  rmSync(folder, { recursive: true })
})

test.each([
  new InvalidConfiguration('PORT must be a whole number.'),
  new TypeError('a fault of our own'),
  systemError('ENOENT', '/usr/lib/missing.so'),
  Object.assign(new Error('listen EADDRINUSE'), { code: 'EADDRINUSE' }),
])('%s is none of the data folder’s', (error) => {
  expect(readableStartError(error, FOLDER)).toBe(error)
})
