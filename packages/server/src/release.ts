import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Release } from '@medialog/http'
import packageJson from '../../../package.json' with { type: 'json' }

/** `0.2.0 (commit 1a2b3c4d, built 2026-11-28T04:00:00Z)` */
export function describeRelease({ version, commit, builtAt }: Release): string {
  const known = [
    ...(commit === null ? [] : [`commit ${commit.slice(0, 8)}`]),
    ...(builtAt === null ? [] : [`built ${builtAt}`]),
  ]
  return known.length === 0 ? version : `${version} (${known.join(', ')})`
}

/** What the build of the image noted, or else what is checked out in the folder. */
export function readBuild(root: string): Omit<Release, 'version'> {
  const noted = readOrNull(join(root, 'build.txt'))
  if (noted === null) return { commit: checkedOut(join(root, '.git')), builtAt: null }
  const [commit = '', builtAt = ''] = noted.split('\n')
  return { commit: asCommit(commit), builtAt: builtAt || null }
}

/** Without a process of git, which need not be on the machine. */
function checkedOut(repository: string): string | null {
  const head = readOrNull(join(repository, 'HEAD'))?.trim() ?? ''
  const ref = /^ref: (\S+)$/.exec(head)?.[1]
  if (ref === undefined) return asCommit(head)
  const loose = readOrNull(join(repository, ref))
  if (loose !== null) return asCommit(loose.trim())
  const packed = readOrNull(join(repository, 'packed-refs')) ?? ''
  const line = packed.split('\n').find((each) => each.endsWith(` ${ref}`))
  return asCommit(line?.split(' ')[0] ?? '')
}

const asCommit = (text: string): string | null => (/^[0-9a-f]{40}$/.test(text) ? text : null)

const readOrNull = (path: string): string | null => (existsSync(path) ? readFileSync(path, 'utf8') : null)

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
export const RELEASE: Release = { version: packageJson.version, ...readBuild(ROOT) }
