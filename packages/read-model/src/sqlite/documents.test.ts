import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeDocumentsContract } from '../testing/documents-contract.ts'
import { openDatabaseSource } from './database-source.ts'
import { openDatabaseStore } from './database-store.ts'
import { openDocuments } from './document-queries.ts'
import { documentsDefinition } from './documents.ts'

describeDocumentsContract('SQLite', async (store) => {
  const folder = mkdtempSync(join(tmpdir(), 'medialog-documents-'))
  const writer = await openDatabaseStore({ folder, definition: documentsDefinition(store) }).open()
  const source = openDatabaseSource(folder, store.name)
  return {
    read: openDocuments(source),
    apply: async (events) => writer.applyBatch(events, events.at(-1)!.position),
    async close() {
      source.close()
      await writer.close()
      rmSync(folder, { recursive: true })
    },
  }
})
