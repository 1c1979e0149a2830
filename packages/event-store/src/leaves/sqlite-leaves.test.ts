import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Leaf } from '@medialog/application/ports'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../testing/folder.ts'
import { describeLogLeavesContract } from './leaves-contract.ts'
import { openSqliteLeaves } from './sqlite-leaves.ts'

describeLogLeavesContract('SQLite', async () => {
  const folder = await temporaryFolder()
  const path = join(folder.path, 'audit', 'leaves.sqlite')
  let leaves = openSqliteLeaves(path)
  return {
    leaves,
    async reopen() {
      await leaves.close()
      return (leaves = openSqliteLeaves(path))
    },
    async close() {
      await leaves.close()
      await folder[Symbol.asyncDispose]()
    },
  }
})

test('a file that is something else is refused and left alone', async () => {
  await using folder = await temporaryFolder()
  const text = join(folder.path, 'text.sqlite')
  await writeFile(text, 'This is a text and no database, however it may be called.'.repeat(100))
  expect(() => openSqliteLeaves(text)).toThrow('file is not a database')
  const other = join(folder.path, 'other.sqlite')
  const database = new DatabaseSync(other)
  database.exec('CREATE TABLE other (value)')
  database.close()
  expect(() => openSqliteLeaves(other)).toThrow('it is a database of something else')
})

test('leaves are kept for good without waiting for who reads them', async () => {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'leaves.sqlite')
  const leaves = openSqliteLeaves(path)
  const leaf = (position: number): Leaf => ({
    position,
    stream: 'a-stream',
    revision: position,
    hash: 'ab'.repeat(32),
  })
  await leaves.append(0, [leaf(1)], [])
  // As a backup holds it, for as long as that takes.
  const reader = new DatabaseSync(path, { readOnly: true })
  reader.exec('BEGIN')
  reader.prepare('SELECT count(*) FROM leaves').get()
  await leaves.append(1, [leaf(2)], [])
  const begun = performance.now()
  await leaves.flush()
  // SQLite waits for a reader for five seconds, and everything else in the process with it.
  expect(performance.now() - begun).toBeLessThan(4_500)
  reader.close()
  await leaves.close()
})
