import { readFileSync } from 'node:fs'
import { isMainThread, parentPort, workerData } from 'node:worker_threads'
import type { SourceFile } from '@medialog/application/ports'
import { bodyChunks } from '@medialog/understanding/chunk'
import analyse from '@medialog/understanding/enrich/analyse'
import { formatRow } from '@medialog/understanding/formats'
import { BARE, bareThreads, serveBare, type BareThreads } from './bare-threads.ts'

/** The extractors and the analysis of a text, a file a call. */
export const bareReaders = (threads: number): Promise<BareThreads<SourceFile>> =>
  bareThreads(new URL(import.meta.url), threads)

async function read({ path, filename, format }: SourceFile): Promise<void> {
  const { extract } = await formatRow(format.name).load()
  const extraction = await extract({ bytes: new Uint8Array(readFileSync(path)), filename, format })
  const titles = extraction.sections.map(({ title }) => title)
  analyse({ text: extraction.text, language: extraction.language, titles })
  bodyChunks(extraction)
}

if (!isMainThread && workerData === BARE) serveBare(parentPort!, read)
