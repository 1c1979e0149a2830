import { createReadStream, existsSync, mkdirSync, readdirSync, realpathSync, writeFileSync } from 'node:fs'
import { opendir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, resolve, sep } from 'node:path'
import { createInterface } from 'node:readline'
import { syncFolder, writeDurably } from '@medialog/artifacts/fs/files'
import { DataFolderInUse, lockDataFolder, makeFolder, type DataFolderLock } from '@medialog/event-store'
import type { FileForm } from './encryption.ts'
import { MaintenanceRefused } from './errors.ts'

/** Tells a folder of backups from any other: what is in it that no backup needs is removed. */
const MARK = 'medialog-backup'
const SAID = 'This folder is kept by `medialog backup`: what it does not need in it is removed.\n'
const PART = '.part'

/** The name of a backup's manifest, in its folder and in that of its files. */
export const MANIFEST = 'manifest.json'

/** A lock that is held, or that a death left before all else; and what a volume of its own may bring. */
export const OF_ALL = /^(?:medialog\.lock(?:\.owner)?|lost\+found)$/

export const isEmpty = (folder: string): boolean => readdirSync(folder).every((name) => OF_ALL.test(name))

/** Where one backup keeps its files, and all of them together their artifacts, by what their digests are called. */
export const runFolder = (folder: string, run: string): string => join(folder, 'runs', run)
export const artifactPath = (folder: string, name: string): string =>
  join(folder, 'artifacts', name.slice(0, 2), name)

/** Takes the folder for one backup, making it where it is not there. @throws MaintenanceRefused */
export function holdBackupFolder(folder: string, dataFolder: string): DataFolderLock {
  requireApart(folder, dataFolder)
  makeFolder(folder)
  if (!existsSync(join(folder, MARK)) && !isEmpty(folder))
    throw new MaintenanceRefused(`${folder} is not empty, and no folder of backups: name another one.`)
  try {
    const lock = lockDataFolder(folder)
    writeFileSync(join(folder, MARK), SAID, { mode: 0o600 })
    return lock
  } catch (error) {
    if (!(error instanceof DataFolderInUse)) throw error
    throw new MaintenanceRefused(`Another backup into ${folder} is under way (process ${error.pid}).`)
  }
}

/** One inside the other would back itself up, or be emptied with it. */
function requireApart(folder: string, dataFolder: string): void {
  const [one, other] = [existing(folder), existing(dataFolder)].map((path) => path + sep) as [string, string]
  if (one.startsWith(other) || other.startsWith(one))
    throw new MaintenanceRefused(
      `${folder} and the data folder ${dataFolder} lie within each other: name another one.`,
    )
}

/** Without links, as far as it is there. */
function existing(path: string): string {
  const absolute = resolve(path)
  if (existsSync(absolute)) return realpathSync(absolute)
  return join(existing(dirname(absolute)), absolute.slice(dirname(absolute).length))
}

/** Artifacts of a folder of backups. */
export class ArtifactCopies {
  readonly #folder: string
  readonly #form: FileForm
  /** Known to be there. */
  readonly #there = new Set<string>()
  /** Those that the backup needs, by name: how large what they hold is. */
  readonly #needed = new Map<string, number>()
  readonly #changed = new Set<string>()
  /** Names of those that were not there before. */
  readonly #copied = new Set<string>()
  #parts = 0

  constructor(folder: string, form: FileForm) {
    this.#folder = folder
    this.#form = form
  }

  get files(): number {
    return this.#needed.size
  }

  /** How many were not there before. */
  get copied(): number {
    return this.#copied.size
  }

  get bytes(): number {
    return this.#needed.values().reduce((sum, size) => sum + size, 0)
  }

  /** From here on nothing is needed but what is asked for anew. */
  begin(): void {
    this.#needed.clear()
  }

  /** Whether what the backup needs is there, whole, from before or by now. */
  async has({ sha256, size }: { sha256: string; size: number }): Promise<boolean> {
    const name = this.#form.nameOf(sha256)
    this.#needed.set(name, size)
    if (this.#there.has(name)) return true
    const found = await stat(artifactPath(this.#folder, name)).catch(() => null)
    if (found === null || !this.#form.isWhole(found.size, size)) return false
    this.#there.add(name)
    return true
  }

  async put(sha256: string, bytes: Uint8Array): Promise<void> {
    const name = this.#form.nameOf(sha256)
    const path = artifactPath(this.#folder, name)
    const written = await this.#form.cipher(bytes)
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    const part = `${path}.${this.#parts++}${PART}`
    await writeDurably(part, (file) => file.writeFile(written))
    await rename(part, path)
    this.#copied.add(name)
    this.#changed.add(dirname(path))
    this.#there.add(name)
  }

  /** Resolves once the names of all that was put are on disk. */
  async sync(): Promise<void> {
    for (const folder of this.#changed) await syncFolder(folder)
    if (this.#changed.size > 0) await syncFolder(join(this.#folder, 'artifacts'))
    await syncFolder(this.#folder)
  }

  /** Writes down what the backup needs, for those after it that keep it. */
  async list(run: string): Promise<void> {
    await writeDurably(listPath(this.#folder, run), (file) =>
      file.writeFile(this.#needed.keys().map((name) => `${name}\n`)),
    )
  }

  /** Removes what neither the backup needs nor those that are kept: what was erased since, and what one that was cut short left. */
  async removeOthers(kept: readonly string[]): Promise<number> {
    const needed = new Set(this.#needed.keys())
    for (const run of kept)
      for await (const name of createInterface({ input: createReadStream(listPath(this.#folder, run)) }))
        needed.add(name)
    let removed = 0
    for (const group of await namesIn(join(this.#folder, 'artifacts')))
      for (const name of await namesIn(join(this.#folder, 'artifacts', group))) {
        if (needed.has(name)) continue
        await rm(join(this.#folder, 'artifacts', group, name))
        removed++
      }
    return removed
  }
}

const listPath = (folder: string, run: string): string => join(runFolder(folder, run), 'artifacts.list')

/** The backups that were finished, the last one first; those of releases up to 0.1 are not among them. */
export const finishedRuns = async (folder: string): Promise<string[]> =>
  (await namesIn(join(folder, 'runs')))
    .filter((run) => existsSync(join(runFolder(folder, run), MANIFEST)))
    .sort()
    .reverse()

/** Removes the files of every backup but these. */
export async function removeOtherRuns(folder: string, kept: readonly (string | undefined)[]): Promise<void> {
  for (const name of await namesIn(join(folder, 'runs')))
    if (!kept.includes(name)) await rm(runFolder(folder, name), { recursive: true })
  for (const name of await namesIn(folder)) if (name.endsWith(PART)) await rm(join(folder, name))
}

async function namesIn(folder: string): Promise<string[]> {
  if (!existsSync(folder)) return []
  const names: string[] = []
  for await (const { name } of await opendir(folder)) names.push(name)
  return names
}
