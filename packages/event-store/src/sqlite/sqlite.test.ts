import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeEventStoreContract } from '../contract-suite.ts'
import { openSqliteEventStore } from './store.ts'

describeEventStoreContract('SQLite', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'medialog-log-'))
  const path = join(folder, 'log.db')
  let store = await openSqliteEventStore({ path })
  return {
    store,
    async reopen() {
      await store.close()
      return (store = await openSqliteEventStore({ path }))
    },
    async close() {
      await store.close()
      await rm(folder, { recursive: true })
    },
  }
})
