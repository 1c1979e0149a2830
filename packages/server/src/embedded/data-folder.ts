import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  readdirSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { makeFolder } from '@medialog/event-store'
import { foldersIn } from './folders.ts'

/** The data folder cannot be worked with, or the one that processes share. The message is one line that says why, and what to do. */
export class UnusableDataFolder extends Error {
  override name = 'UnusableDataFolder'

  constructor(
    folder: string,
    why: string,
    { which = 'data', ...options }: ErrorOptions & { which?: Which } = {},
  ) {
    super(`the ${which} folder ${folder} cannot be used: ${why}`, options)
  }
}

type Which = 'data' | 'shared'
const SETTING: Record<Which, string> = { data: 'MEDIALOG_DATA_DIR', shared: 'MEDIALOG_SHARED_DIR' }

/**
 * Tries what the engines will need: that the folder is there or can be made, that it and each of theirs can be written
 * to. What it makes, it removes. Answers whether the folder is there.
 * @throws UnusableDataFolder
 */
export function checkFolder(folder: string, which: Which = 'data'): boolean {
  const missing = missingFolders(folder)
  try {
    try {
      makeFolder(folder)
      tryFolder(folder)
    } finally {
      for (const path of missing) removeEmpty(path)
    }
  } catch (error) {
    throw readableStartError(error, folder, which)
  }
  return missing.length === 0
}

function tryFolder(folder: string): void {
  const probe = join(folder, `.writable-${process.pid}`)
  writeFileSync(probe, '', { mode: 0o600 })
  rmSync(probe)
  const { log, leaves, webhooks, artifacts, staging, answers, readModels } = foldersIn(folder)
  for (const inner of [...[log, leaves, webhooks].map(dirname), readModels, artifacts, staging, answers]) {
    if (!existsSync(inner)) continue
    if (!statSync(inner).isDirectory()) throw notAFolder(inner)
    accessSync(inner, constants.R_OK | constants.W_OK | constants.X_OK)
  }
}

/** Another process that starts in it may have made it its own. */
function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch (error) {
    if (!['ENOENT', 'ENOTEMPTY', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}

/** Those that have to be made for it, from the innermost outwards. */
const missingFolders = (folder: string): string[] =>
  existsSync(folder) ? [] : [folder, ...missingFolders(dirname(folder))]

/** Databases that an earlier release left readable by others no longer are. @throws an error of the file system */
export function keepPrivate(dataFolder: string): void {
  const { log, leaves, webhooks, readModels } = foldersIn(dataFolder)
  for (const folder of [dirname(log), dirname(leaves), dirname(webhooks), readModels])
    for (const name of existsSync(folder) ? readdirSync(folder) : [])
      if (name.includes('.sqlite')) chmodSync(join(folder, name), 0o600)
}

const notAFolder = (path: string): NodeJS.ErrnoException =>
  Object.assign(new Error(`${path} is not a folder`), { code: 'ENOTDIR', path })

/** An error of a start: in a line about the folder where that is what it is about; anything else as it came. */
export function readableStartError(error: unknown, folder: string, which: Which = 'data'): unknown {
  const why = whyUnusable(error, folder, `or name another in ${SETTING[which]}.`)
  return why === null ? error : new UnusableDataFolder(folder, why, { cause: error, which })
}

function whyUnusable(error: unknown, folder: string, choose: string): string | null {
  if (!(error instanceof Error) || !('code' in error)) return null
  const { code, path } = error as NodeJS.ErrnoException
  if (code === 'ERR_SQLITE_ERROR') return `a database in it cannot be opened (${error.message}).`
  // Other troubles of the system (a port, a missing module) are not the folder's.
  if (path === undefined || !isAboutFolder(path, folder)) return null
  switch (code) {
    case 'EACCES':
    case 'EPERM':
      return `the user who runs this (${userId()}) may not write to ${path} (${code}): give the folder to that user, ${choose}`
    case 'EROFS':
      return `${path} is on a file system that is read-only (${code}): mount it for writing, ${choose}`
    case 'ENOTDIR':
    case 'EEXIST':
      return `${path} is a file where a folder belongs (${code}): move it away, ${choose}`
    case 'ENOSPC':
    case 'EDQUOT':
      return `the disk is full (${code}, ${path}): make room, ${choose}`
    default:
      return `${error.message}: make it a folder that can be written to, ${choose}`
  }
}

/** Inside it, or one of those above it that had to be made. */
const isAboutFolder = (path: string, folder: string): boolean =>
  resolve(path).startsWith(folder) || folder.startsWith(resolve(path))

const userId = (): string => (process.getuid ? `uid ${process.getuid()}` : 'this one')
