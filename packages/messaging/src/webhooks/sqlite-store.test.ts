import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openSqliteWebhookStore } from './sqlite-store.ts'
import { describeWebhookStoreContract } from './store-contract.ts'

const newFolder = () => mkdtemp(join(tmpdir(), 'medialog-webhooks-'))

describeWebhookStoreContract('SQLite', async () => {
  const folder = await newFolder()
  const path = join(folder, 'webhooks', 'deliveries.sqlite')
  let store = openSqliteWebhookStore(path)
  return {
    store,
    async reopen() {
      await store.close()
      return (store = openSqliteWebhookStore(path))
    },
    async close() {
      await store.close()
      await rm(folder, { recursive: true })
    },
  }
})

test('a file that is something else is refused, and its folder is its owner’s alone', async () => {
  const folder = await newFolder()
  onTestFinished(() => rm(folder, { recursive: true }))
  const path = join(folder, 'text.sqlite')
  await writeFile(path, 'This is a text and no database, however it may be called.'.repeat(100))
  expect(() => openSqliteWebhookStore(path)).toThrow('file is not a database')
  await openSqliteWebhookStore(join(folder, 'new', 'deliveries.sqlite')).close()
  expect((await stat(join(folder, 'new'))).mode & 0o777).toBe(0o700)
})
