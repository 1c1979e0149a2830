import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Gate extends Disposable {
  /** Of a lexicon that holds its thread while the gate is shut. */
  lexicon: URL
  shut(): void
  open(): void
  /** Ends the thread that is held, or that is the next to come. */
  endHeld(): void
}

/** Open at first. */
export function createGate(): Gate {
  const folder = mkdtempSync(join(tmpdir(), 'medialog-gate-'))
  const file = join(folder, 'shut')
  const lexicon = new URL('./held-lexicon.ts', import.meta.url)
  lexicon.searchParams.set('gate', file)
  return {
    lexicon,
    shut: () => writeFileSync(file, ''),
    open: () => rmSync(file, { force: true }),
    endHeld: () => writeFileSync(file, 'fatal'),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}
