import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { FOLDER_FORMAT } from '../embedded/folder-format.ts'
import { artifactPath } from './backup-folder.ts'
import type { NamedArtifact } from './copy-artifacts.ts'
import type { FileForm, OpenWith } from './encryption.ts'
import { UnusableBackup } from './errors.ts'
import { openManifest, type Manifest } from './manifest.ts'

export interface BackupPlace {
  folder: string
  /** Null: it is not encrypted. */
  openWith: OpenWith | null
  /** One of those that the folder holds; the last one where it is left out. */
  run?: string
}

/** A backup that can be read. */
export interface OpenedBackup {
  folder: string
  manifest: Manifest
  form: FileForm
}

/** @throws UnusableBackup */
export async function openBackup({ folder, openWith, run }: BackupPlace): Promise<OpenedBackup> {
  const opened = await openManifest(folder, openWith, run)
  if (opened.manifest.data_format <= FOLDER_FORMAT) return { folder, ...opened }
  throw new UnusableBackup(
    folder,
    `it is of a data folder of release ${opened.manifest.release}, and this one is older`,
  )
}

/** The bytes of an artifact, or what is wrong with it. */
export async function artifactOf(
  { folder, form }: OpenedBackup,
  { name, mediaId, sha256 }: NamedArtifact,
): Promise<Uint8Array | string> {
  const which = `${name} of item ${mediaId} (artifacts, ${sha256})`
  const file = await readFile(artifactPath(folder, form.nameOf(sha256))).catch(() => null)
  if (file === null) return `${which} cannot be read`
  const bytes = await form.cipher(file).catch(() => null)
  if (bytes !== null && hash('sha256', bytes) === sha256) return bytes
  return `${which} has other bytes than it was written with`
}
