import type { StoredItem } from '@medialog/application'
import { openFsArtifactStore } from '@medialog/artifacts'
import { foldersIn } from '../embedded/folders.ts'
import { forEachArtifact } from './copy-artifacts.ts'
import { artifactOf, type OpenedBackup } from './opened-backup.ts'
import type { OnProgress } from './progress.ts'
import { withLog } from './read-log.ts'

/** Puts what the items rest on in place. Answers what of it is damaged. */
export async function restoreArtifacts(
  backup: OpenedBackup,
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
      async (artifact) => {
        const bytes = await artifactOf(backup, artifact)
        if (typeof bytes === 'string') return bytes
        await store.put(artifact, artifact.name, bytes)
        return null
      },
      onProgress,
    ),
  )
}
