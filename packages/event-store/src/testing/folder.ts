import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder of its own for one test, removed when it ends. */
export async function temporaryFolder(): Promise<AsyncDisposable & { path: string; log: string }> {
  const path = await mkdtemp(join(tmpdir(), 'medialog-log-'))
  return {
    path,
    log: join(path, 'log.db'),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  }
}

/** The names of the files whose bytes hold the marker. */
export async function filesHolding(folder: string, marker: string): Promise<string[]> {
  const holding: string[] = []
  for (const name of await readdir(folder))
    if ((await readFile(join(folder, name))).includes(marker)) holding.push(name)
  return holding
}

/** Every byte of every file, one character each. */
export async function allBytes(folder: string): Promise<string> {
  const names = await readdir(folder)
  return (await Promise.all(names.map((name) => readFile(join(folder, name), 'latin1')))).join('')
}
