import { createEmbedder } from '@medialog/embedder'
import { createUnderstanding } from '@medialog/understanding'
import { createOfflineEnricher } from '@medialog/understanding/enrich/offline'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { asAccount, asOperator } from '../src/harness/client.ts'
import { startServer, temporaryDataFolder } from '../src/harness/server.ts'
import { quantile, row, type BenchRows } from './row.ts'
import { sized } from './scale.ts'
import { milliseconds } from './timing.ts'

const FILES = sized(40, 3)
const BYTES = 10_000
/** The first ones warm both sides up. */
const WARM_UP = sized(8)

/**
 * Uploads of 10 kB texts one after the other over HTTP, durable and charged, against the bare sum of reading, enriching
 * and embedding the same texts in this process. The two take turns.
 */
export async function* benchUpload(): BenchRows {
  const folder = await temporaryDataFolder()
  const scratch = mkdtempSync(join(tmpdir(), 'medialog-bench-'))
  const server = await startServer({
    dataFolder: folder.path,
    env: { MEDIALOG_RATE_LIMITS: 'standard=1000000' },
  })
  const embedder = await createEmbedder()
  const enricher = createOfflineEnricher({ embedder })
  const understanding = createUnderstanding({ enricher, embedder })
  try {
    const operator = asOperator(server.url, server.operatorToken)
    const { body } = await operator.request('GET', '/admin/accounts')
    const [{ account_id: accountId }] = body.data.accounts
    await operator.request('POST', `/admin/accounts/${accountId}/credits`, { json: { amount: 100 } })
    const client = asAccount(server.url, server.apiKey!)
    const times = { bare: [] as number[], ours: [] as number[] }
    for (const [n, text] of textsOf10kB().entries()) {
      const path = join(scratch, `text-${n}.txt`)
      writeFileSync(path, text)
      const format = understanding.identify(path, Buffer.from(text).subarray(0, 8192))
      const file = { path, filename: `text-${n}.txt`, size: BYTES, format }
      times.bare.push(await milliseconds(() => understanding.understand(file, {})))
      times.ours.push(
        await milliseconds(async () => {
          const { status } = await client.upload(file.filename, text)
          if (status !== 200) throw new Error(`upload answered ${status}`)
        }),
      )
    }
    const median = (values: number[]) =>
      quantile(
        values.slice(WARM_UP).sort((a, b) => a - b),
        0.5,
      )
    yield row(
      'upload of a 10 kB text: p50 against the bare sum',
      median(times.bare),
      median(times.ours),
      'ms',
    )
  } finally {
    await understanding.close()
    await enricher.close()
    await embedder.close()
    await server.stop()
    await folder.remove()
    rmSync(scratch, { recursive: true })
  }
}

/** The Cranfield abstracts as running text, in pieces. */
function textsOf10kB(): string[] {
  const xml = readFileSync(new URL('../benchmarks/cranfield/cran.all.1400.xml', import.meta.url), 'utf8')
  const all = xml.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ')
  return Array.from({ length: FILES }, (_, n) => all.slice(n * BYTES, (n + 1) * BYTES))
}
