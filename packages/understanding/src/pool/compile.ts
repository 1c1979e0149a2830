import { FORMATS } from '../formats.ts'
import { channel } from './channel.ts'
import type { ChildSettings } from './command.ts'

/**
 * `npm run compile`: loads all that children load, for Node to keep what it compiled. They may not write it themselves, and
 * each would compile its own.
 */
process.argv[2] = JSON.stringify({ trained: [], recognitionMs: 0, lookingMs: 0 } satisfies ChildSettings)
// This process has no parent that reads replies or sends requests.
channel.send = () => undefined
channel.receive = () => new Promise(() => undefined)

await Promise.all([
  import('./child.ts'),
  import('../archive/budget.ts'),
  import('../chunk.ts'),
  import('../enrich/facts.ts'),
  import('../extract/small-picture.ts'),
  import('tesseract.js-core/tesseract-core-simd-lstm.js'),
  ...FORMATS.map((row) => row.load()),
])
process.exit(0)
