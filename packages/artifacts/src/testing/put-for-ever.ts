import { randomUUID } from 'node:crypto'
import { openFsArtifactStore } from '../fs/artifact-store.ts'

/** Puts artifacts of equal bytes until it is killed; prints each ingest once its put was answered. */
const store = await openFsArtifactStore(process.argv[2]!)
await Promise.all(
  Array.from({ length: 4 }, async () => {
    for (let turn = 1; ; turn++) {
      const ingest = { accountId: randomUUID(), mediaId: randomUUID(), ingestId: randomUUID() }
      await store.put(ingest, 'text.txt', Buffer.alloc(2_000_000, turn))
      console.log(JSON.stringify(ingest))
    }
  }),
)
