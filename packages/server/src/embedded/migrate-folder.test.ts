import { spawn } from 'node:child_process'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { unpackDataFolder } from '@medialog/test/harness/data-folders'
import { describeWithSmallDisk, mountSmallDisk } from '@medialog/test/small-disk'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { RELEASE } from '../release.ts'
import { readFolderFormat, writeFolderFormat } from './folder-format.ts'
import { bringUpToDate, type Migrations } from './migrate-folder.ts'

let root: string
let folder: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'medialog-format-'))
  folder = join(root, 'data')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const said: string[] = []
const say = (what: string) => void said.push(what)

/** From 1 to 3, over what the migrations do to the folder. */
const migrations = (...steps: (() => void)[]): Migrations => ({
  current: steps.length + 1,
  from: new Map(steps.map((step, index) => [index + 1, async () => step()])),
})

/** Every file by its digest; what is made anew, and what is nobody's, left out. */
const contents = (of: string): string[] =>
  readdirSync(of, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(of.length))
    .filter((path) => !/read-models|before-format-|format\.json/.test(path))
    .map((path) => `${path} ${hash('sha256', readFileSync(join(of, path)))}`)
    .sort()

test('a new folder has the format of this release, and one of an earlier release without one is of the first', async () => {
  mkdirSync(folder)
  await bringUpToDate(folder, say)
  expect(readFolderFormat(folder)).toMatchObject({ format: 1 })
  const old = join(root, 'old')
  unpackDataFolder('release-0.1', old)
  const ran: number[] = []
  const step = (n: number) => () => void ran.push(n)
  await bringUpToDate(old, say, migrations(step(1), step(2)))
  expect([ran, readFolderFormat(old)]).toEqual([
    [1, 2],
    { format: 3, release: RELEASE.version, commit: RELEASE.commit },
  ])
  await bringUpToDate(old, say, migrations(step(1), step(2)))
  expect(ran).toEqual([1, 2])
})

test('an older folder is copied before it is changed, and the copy stays', async () => {
  unpackDataFolder('release-0.1', folder)
  const before = contents(folder)
  said.length = 0
  await bringUpToDate(
    folder,
    say,
    migrations(() => rmSync(join(folder, 'artifacts'), { recursive: true })),
  )
  expect(existsSync(join(folder, 'artifacts'))).toBe(false)
  expect(contents(join(folder, 'before-format-1'))).toEqual(before)
  expect(said.join('\n')).toMatch(/copying it first\n(?:copying: \d+ %\n)+[^]*before-format-1: remove it/)
  // Its place is taken: the next time somebody has to say what becomes of it.
  await writeFolderFormat(folder, 1)
  await expect(
    bringUpToDate(
      folder,
      say,
      migrations(() => undefined),
    ),
  ).rejects.toThrow('move it away')
})

test('a migration that fails in the middle begins anew from what the folder was', async () => {
  unpackDataFolder('release-0.1', folder)
  const before = contents(folder)
  let tries = 0
  const spoils = migrations(() => {
    expect(contents(folder)).toEqual(before)
    writeFileSync(join(folder, 'log', 'events.sqlite'), 'half')
    // Made by what failed: from a log that is not there any more.
    expect(existsSync(join(folder, 'read-models', 'stray'))).toBe(false)
    mkdirSync(join(folder, 'read-models'), { recursive: true })
    for (const stray of ['stray', 'read-models/stray']) writeFileSync(join(folder, stray), 'half')
    if (++tries === 1) throw new Error('the machine went down')
  })
  await expect(bringUpToDate(folder, say, spoils)).rejects.toThrow('the machine went down')
  expect(readFolderFormat(folder)).toMatchObject({ format: 1, unfinished: 'migration' })
  await bringUpToDate(folder, say, spoils)
  expect([tries, readFolderFormat(folder)?.format]).toEqual([2, 2])
})

test('a copy that is whole is the one that is taken back, wherever a death left its name', async () => {
  unpackDataFolder('release-0.1', folder)
  const before = contents(folder)
  const copy = join(folder, 'before-format-1')
  const dies = migrations(() => {
    throw new Error('the machine went down')
  })
  await expect(bringUpToDate(folder, say, dies)).rejects.toThrow('went down')
  // As it was for a moment: the folder says that its migration has begun, and the copy has its name not yet.
  renameSync(copy, `${copy}.part`)
  writeFileSync(join(folder, 'stray'), 'half')
  await bringUpToDate(
    folder,
    say,
    migrations(() => undefined),
  )
  expect([contents(folder), contents(copy)]).toEqual([before, before])
})

test('kill -9 at any moment of a migration loses nothing', async () => {
  unpackDataFolder('release-0.1', folder)
  const before = contents(folder)
  const seen: string[] = []
  for (const at of ['copying', 'migrating', 'changed']) {
    const script = new URL('../testing/migrate-until.ts', import.meta.url).pathname
    const child = spawn(process.execPath, [script, folder, at], { stdio: ['ignore', 'pipe', 'inherit'] })
    child.stdout.on('data', (chunk: Buffer) => seen.push(chunk.toString().trim()))
    const [, signal] = (await once(child, 'exit')) as [number | null, string | null]
    expect([at, signal]).toEqual([at, 'SIGKILL'])
  }
  expect(seen.length).toBeGreaterThan(0)
  let found: string[] = []
  await bringUpToDate(
    folder,
    say,
    migrations(() => (found = contents(folder))),
  )
  expect(found).toEqual(before)
})

test('a newer folder is refused, and so is one that is not whole or says nothing', async () => {
  mkdirSync(folder)
  await writeFolderFormat(folder, 7)
  await expect(bringUpToDate(folder, say)).rejects.toThrow(/release .* wrote it, in format 7, .* up to 1/)
  await writeFolderFormat(folder, 1, 'restore')
  await expect(bringUpToDate(folder, say)).rejects.toThrow('a restore into it was not finished')
  writeFileSync(join(folder, 'format.json'), '{"format":')
  await expect(bringUpToDate(folder, say)).rejects.toThrow('does not say which format it has')
})

describeWithSmallDisk('on a small disk', () => {
  test('without room for the copy nothing is changed', async () => {
    using disk = mountSmallDisk(2)
    unpackDataFolder('release-0.1', disk.path)
    writeFileSync(join(disk.path, 'artifacts', 'large'), Buffer.alloc(1_200_000))
    const before = contents(disk.path)
    const refused = bringUpToDate(
      disk.path,
      say,
      migrations(() => undefined),
    )
    await expect(refused).rejects.toThrow(/that takes 2 MiB, and 1 are free. Nothing was changed./)
    expect(contents(disk.path)).toEqual(before)
    expect(readdirSync(disk.path).filter((name) => name.startsWith('before-'))).toEqual([])
  })
})
