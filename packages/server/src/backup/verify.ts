import { existsSync } from 'node:fs'
import type { FormerKey, StoredItem } from '@medialog/application'
import { foldersIn } from '../embedded/folders.ts'
import { artifactPath } from './backup-folder.ts'
import { forEachArtifact } from './copy-artifacts.ts'
import { Damaged } from './errors.ts'
import type { Manifest } from './manifest.ts'
import { artifactOf, openBackup, type BackupPlace } from './opened-backup.ts'
import { progressInParts, type OnProgress } from './progress.ts'
import { provenIn } from './proven-backup.ts'
import { withLog } from './read-log.ts'
import { openWorkFolder } from './work-folder.ts'

export interface VerifyReport {
  manifest: Manifest
  /** Of the tree over all events, as it was signed. */
  root: string
  /** Artifacts that were read and compared; of all others it is known that they are there. */
  read: number
  seconds: number
}

/**
 * Proves a backup as a restore would, without one: every digest, every event and what was signed over all of them, that
 * every artifact is there, and the bytes of `sample` items' artifacts, chosen by chance.
 * @throws MaintenanceRefused, Damaged
 */
export async function verifyBackup(
  from: BackupPlace,
  sample: number,
  onProgress: OnProgress,
  former: FormerKey | null = null,
): Promise<VerifyReport> {
  const started = performance.now()
  const backup = await openBackup(from)
  await using work = await openWorkFolder('verify', from.folder)
  const part = progressInParts(onProgress)
  const { root, summary } = await provenIn(backup, work.path, former, part(0.6))
  const items = [...summary.items.items()].filter(({ endedAt }) => endedAt === null)
  const chosen = chosenOf(items, sample)
  /** Digests: several items may hold the same. */
  const read = new Set<string>()
  const damage = await withLog(foldersIn(work.path).log, (log) =>
    forEachArtifact(
      log,
      items,
      async (artifact) => {
        if (chosen.has(artifact.ingestId)) {
          read.add(artifact.sha256)
          const bytes = await artifactOf(backup, artifact)
          return typeof bytes === 'string' ? bytes : null
        }
        const { name, mediaId, sha256 } = artifact
        const isThere = existsSync(artifactPath(from.folder, backup.form.nameOf(sha256)))
        return isThere ? null : `${name} of item ${mediaId} (artifacts, ${sha256}) cannot be read`
      },
      part(0.4),
    ),
  )
  if (damage.length > 0) throw new Damaged(`The backup ${from.folder}`, damage)
  return { manifest: backup.manifest, root, read: read.size, seconds: (performance.now() - started) / 1_000 }
}

/** So many ingests at most, each with the same chance (Fisher and Yates, as far as it is needed). */
function chosenOf(items: readonly StoredItem[], sample: number): ReadonlySet<string> {
  const ids = items.map(({ ingestId }) => ingestId)
  const count = Math.min(sample, ids.length)
  for (let at = 0; at < count; at++) {
    const other = at + Math.floor(Math.random() * (ids.length - at))
    ;[ids[at], ids[other]] = [ids[other]!, ids[at]!]
  }
  return new Set(ids.slice(0, count))
}
