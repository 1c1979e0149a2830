import { readdir, readFile, rm, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { SourceFile } from '@medialog/application/ports/understanding'
import { identify } from '../sniff.ts'

const FIXTURES = fileURLToPath(new URL('../../../../test/fixtures/', import.meta.url))

const fixturePath = (name: string): string => join(FIXTURES, name)
export const readFixture = async (name: string): Promise<Uint8Array> => readFile(fixturePath(name))

/** Names of the sample files in a folder, as `readFixture` takes them. */
export const fixturesIn = async (folder: string): Promise<string[]> =>
  (await readdir(fixturePath(folder))).sort().map((name) => `${folder}/${name}`)

/** A sample file as the pipeline gets it, its format told from its bytes. */
export async function fixtureFile(name: string): Promise<SourceFile> {
  const bytes = await readFixture(name)
  return sourceFile(fixturePath(name), bytes)
}

export const sourceFile = (path: string, bytes: Uint8Array): SourceFile => ({
  path,
  filename: basename(path),
  size: bytes.length,
  format: identify(basename(path), bytes.subarray(0, 8192)),
})

/** A folder of its own for files made by a test; `remove` when done. */
export async function scratchFolder(): Promise<{
  write(name: string, bytes: Uint8Array | string): Promise<string>
  path: string
  remove(): Promise<void>
}> {
  const path = await mkdtemp(join(tmpdir(), 'medialog-understanding-'))
  return {
    path,
    async write(name, bytes) {
      await writeFile(join(path, name), bytes)
      return join(path, name)
    },
    remove: () => rm(path, { recursive: true, force: true }),
  }
}

/** The first 60 % of a file. */
export const truncated = (bytes: Uint8Array): Uint8Array =>
  Uint8Array.from(bytes.subarray(0, Math.floor(bytes.length * 0.6)))

/** One byte in 50 after the first 64 overwritten at random; the same for the same seed (mulberry32). */
export function overwritten(bytes: Uint8Array, seed: number): Uint8Array {
  const damaged = Uint8Array.from(bytes)
  const random = mulberry32(seed)
  for (let at = 64; at < damaged.length; at += 50)
    damaged[Math.min(damaged.length - 1, at + Math.floor(random() * 50))] = Math.floor(random() * 256)
  return damaged
}

function mulberry32(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}
