import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { StoredItem } from '@medialog/application'
import { openFsArtifactStore } from '@medialog/artifacts'
import { foldersIn } from '../embedded/folders.ts'
import { artifactPath } from './backup-folder.ts'
import { forEachArtifact } from './copy-artifacts.ts'
import type { OnProgress } from './progress.ts'
import { withLog } from './read-log.ts'

/** Puts what the items rest on in place. Answers what of it is damaged. */
export async function restoreArtifacts(
  source: string,
  dataFolder: string,
  items: readonly StoredItem[],
  onProgress: OnProgress,
): Promise<string[]> {
  const { log, artifacts } = foldersIn(dataFolder)
  const store = await openFsArtifactStore(artifacts)
  return withLog(log, (reader) =>
    forEachArtifact(
      reader,
      items,
      async ({ name, sha256, ...ingest }) => {
        const bytes = await readFile(artifactPath(source, sha256)).catch(() => null)
        if (bytes === null) return `${name} of item ${ingest.mediaId} (artifacts, ${sha256}) cannot be read`
        if (hash('sha256', bytes) !== sha256)
          return `${name} of item ${ingest.mediaId} (artifacts, ${sha256}) has other bytes than it was written with`
        await store.put(ingest, name, bytes)
        return null
      },
      onProgress,
    ),
  )
}
