import { execFile } from 'node:child_process'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Manuals in eight languages, models, sounds and pictures, none of them made for Medialog. */
const PACKAGES = [
  'assimp-testmodels',
  'debian-faq',
  'debian-faq-de',
  'debian-faq-zh-cn',
  'debian-policy',
  'debmake-doc',
  'desktop-base',
  'developers-reference',
  'developers-reference-de',
  'developers-reference-fr',
  'developers-reference-it',
  'developers-reference-ja',
  'developers-reference-ru',
  'gnome-backgrounds',
  'maint-guide-es',
  'sound-theme-freedesktop',
]

/**
 * The files of Debian's packages under `folder`, which keeps what was downloaded for the next time.
 * @throws where there is no `apt-get`, no `dpkg-deb`, or no archive that has the packages
 */
export async function debianFiles(folder: string, onPackage: (name: string) => void): Promise<string[]> {
  const [archives, files] = [join(folder, 'archives'), join(folder, 'files')]
  for (const path of [archives, files]) await mkdir(path, { recursive: true })
  for (const name of PACKAGES) {
    onPackage(name)
    if ((await archiveOf(archives, name)) === null)
      await run('apt-get', ['download', name], { cwd: archives })
    await run('dpkg-deb', ['-x', join(archives, (await archiveOf(archives, name))!), files])
  }
  const entries = await readdir(files, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
}

async function archiveOf(folder: string, name: string): Promise<string | null> {
  return (await readdir(folder)).find((file) => file.startsWith(`${name}_`)) ?? null
}
