import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const FOLDERS = new URL('../../data-folders/', import.meta.url).pathname

/** What a service answered to requests before its release was replaced. */
export interface Answered {
  // oxlint-disable-next-line typescript/no-explicit-any -- of a release that has no types here any more
  listed: any
  // oxlint-disable-next-line typescript/no-explicit-any -- likewise
  usage: any
}

/** Unpacks the data folder that an earlier release left, as `folder`, and answers what that release said of it. */
export function unpackDataFolder(release: string, folder: string): Answered {
  mkdirSync(folder, { recursive: true })
  execFileSync('tar', [
    '--extract',
    '--gzip',
    '--file',
    join(FOLDERS, `${release}.tar.gz`),
    '--directory',
    folder,
  ])
  const answered = (name: string) => JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'))
  return { listed: answered('listed'), usage: answered('usage') }
}
