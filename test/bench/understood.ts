import type { Embedder } from '@medialog/application/ports'
import { createEmbedder } from '@medialog/embedder'
import { createOfflineEnricher, createUnderstanding } from '@medialog/understanding'
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface TextFile {
  filename: string
  text: string
}

/**
 * The chunks that the service itself makes of each file: read, enriched offline, head first. Kept in the folder for
 * temporary files until the files or the code that understands them change: making 1,400 of them takes minutes.
 */
export async function understoodChunks(files: readonly TextFile[]): Promise<string[][]> {
  const kept = join(
    tmpdir(),
    `medialog-understood-${digest([JSON.stringify(files), ...understandingCode()])}.json`,
  )
  if (!existsSync(kept)) keep(kept, JSON.stringify(await understand(files)))
  return JSON.parse(readFileSync(kept, 'utf8')) as string[][]
}

/** Tells one set of texts from another. */
export function digest(texts: readonly string[]): string {
  const hash = createHash('sha256')
  for (const text of texts) hash.update(text).update('\0')
  return hash.digest('hex').slice(0, 16)
}

/** Writes a file that others find whole or not at all. */
export function keep(path: string, content: string | Uint8Array): void {
  const unfinished = `${path}.${process.pid}`
  writeFileSync(unfinished, content)
  renameSync(unfinished, path)
}

function understandingCode(): string[] {
  const cwd = fileURLToPath(new URL('../../packages', import.meta.url))
  const files = globSync('{understanding,embedder}/src/**/*.ts', { cwd, exclude: ['**/*.test.ts'] })
  return files.sort().map((file) => readFileSync(join(cwd, file), 'utf8'))
}

async function understand(files: readonly TextFile[]): Promise<string[][]> {
  const folder = mkdtempSync(join(tmpdir(), 'medialog-understood-'))
  const embedder = await createEmbedder()
  const enricher = createOfflineEnricher({ embedder })
  const understanding = createUnderstanding({ enricher, embedder: withoutVectors(embedder) })
  const signal = new AbortController().signal
  try {
    const all: string[][] = []
    for (const { filename, text } of files) {
      const path = join(folder, filename)
      const bytes = Buffer.from(text)
      writeFileSync(path, bytes)
      const file = { path, filename, size: bytes.length, format: understanding.identify(filename, bytes) }
      all.push((await understanding.understand(file, { signal })).chunks.map((chunk) => chunk.text))
    }
    return all
  } finally {
    await understanding.close()
    await enricher.close()
    await embedder.close()
    rmSync(folder, { recursive: true })
  }
}

/** The chunks' vectors are made elsewhere: these are not looked at. */
const withoutVectors = ({ model, cosineFloor }: Embedder): Embedder => ({
  model,
  cosineFloor,
  dimensions: 1,
  embed: (texts) => Promise.resolve(texts.map(() => Float32Array.of(1))),
  close: () => Promise.resolve(),
})
