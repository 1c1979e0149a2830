import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = new URL('../..', import.meta.url).pathname
/** What measures is the same on both sides. */
const MEASURING = ['test/bench', 'test/src/harness']

const git = (...words: string[]): string =>
  execFileSync('git', ['-C', ROOT, ...words], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim()

/** The whole name of a commit. @throws Error where this repository lacks it */
export function commitOf(name: string): string {
  try {
    return git('rev-parse', '--verify', `${name}^{commit}`)
  } catch (error) {
    throw new Error(`There is no commit ${name} in this repository.`, { cause: error })
  }
}

/** Whether the repository has the commit: a clone may lack history. */
export function hasCommit(name: string): boolean {
  try {
    return commitOf(name) !== ''
  } catch {
    return false
  }
}

/** The commit that is checked out, `+` behind it where files other than documentation differ from it. */
export function checkedOut(): string {
  const changed = git('status', '--porcelain', '--untracked-files=no', '--', ROOT, ':(exclude)docs')
  return `${commitOf('HEAD').slice(0, 8)}${changed === '' ? '' : '+'}`
}

/** The files of a commit in a folder of its own, with the packages that are installed here. */
export function treeOf(commit: string): { path: string; remove(): void } {
  // Beside node_modules: it is linked file by file, since processes that read files may read the tree and nothing else.
  const path = mkdtempSync(join(ROOT, '.beside-'))
  const archive = execFileSync('git', ['-C', ROOT, 'archive', commit], { maxBuffer: 2 ** 30 })
  execFileSync('tar', ['-x', '-C', path], { input: archive })
  for (const folder of MEASURING) {
    rmSync(join(path, folder), { recursive: true, force: true })
    cpSync(join(ROOT, folder), join(path, folder), { recursive: true })
  }
  execFileSync('cp', ['-al', join(ROOT, 'node_modules'), path])
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}
