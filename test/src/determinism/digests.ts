import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { encodeUnderstood } from '@medialog/application'
import { createEmbedder } from '@medialog/embedder'
import { createOfflineEnricher, createUnderstanding } from '@medialog/understanding'

const FIXTURES = fileURLToPath(new URL('../../fixtures', import.meta.url))

/** Sample files that can be read, by path; `hostile` ones are refused, `sample.mtl` belongs to another file. */
export const sampleFiles = (): string[] =>
  globSync('*/*', { cwd: FIXTURES })
    .filter((path) => !path.startsWith('hostile') && !path.endsWith('.mtl'))
    .sort()

export const samplePath = (name: string): string => join(FIXTURES, name)

export const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** The digest of every artifact that the service would keep of each sample file. */
export async function artifactDigests(): Promise<Record<string, string[]>> {
  const embedder = await createEmbedder()
  const enricher = createOfflineEnricher({ embedder })
  const understanding = createUnderstanding({ enricher, embedder })
  try {
    const digests: Record<string, string[]> = {}
    for (const name of sampleFiles()) {
      const bytes = readFileSync(samplePath(name))
      const filename = name.split('/').at(-1)!
      const format = understanding.identify(filename, bytes.subarray(0, 8192))
      const understood = await understanding.understand(
        { path: samplePath(name), filename, size: bytes.length, format },
        {},
      )
      digests[name] = encodeUnderstood(understood).map((artifact) => digestOf(artifact.bytes))
    }
    return digests
  } finally {
    await understanding.close()
    await enricher.close()
    await embedder.close()
  }
}

if (import.meta.main) console.log(JSON.stringify(await artifactDigests()))
