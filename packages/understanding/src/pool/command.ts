import { fileURLToPath } from 'node:url'
import { join, sep } from 'node:path'
import type { Profile } from '../formats.ts'
import type { TrainedData } from '../ocr/trained-data.ts'

/** What a child may use. */
export interface ChildLimits {
  /** The JavaScript heap in MB; V8 ends the process beyond it. */
  heapMb: number
  /** CPU seconds of its whole life: ends even a child that spins after its parent was killed. */
  cpuSeconds: number
  /** By which words in pictures are read; none: they are not. */
  trained: readonly TrainedData[]
  /** Milliseconds that reading the pictures of one file may take. */
  recognitionMs: number
}

/** What a child is told about itself, as its one argument. */
export type ChildSettings = Pick<ChildLimits, 'trained' | 'recognitionMs'>

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))
/** Code and its models: all that a child may read besides trained data, so no data folder and no staged file. */
const READABLE = ['node_modules', 'packages', 'package.json'].map((name) => join(ROOT, name))

/**
 * A busy child cannot hear that its parent is gone. Where util-linux is at hand, the kernel is asked to kill it then
 * (prctl PR_SET_PDEATHSIG); elsewhere the limit of CPU seconds ends it.
 */
const DIE_WITH_PARENT = 'setpriv --pdeathsig KILL true 2>/dev/null && exec setpriv --pdeathsig KILL "$0" "$@"'

/** File and arguments that start an extractor child under Node's permission model. */
export function childCommand(
  entry: URL,
  profile: Profile,
  limits: ChildLimits,
): { file: string; args: string[] } {
  const node = [
    '--permission',
    ...READABLE.map((path) => `--allow-fs-read=${path.endsWith('.json') ? path : path + sep}`),
    ...limits.trained.map(({ path }) => `--allow-fs-read=${path}`),
    ...(profile === 'native' ? ['--allow-addons'] : []),
    `--max-old-space-size=${limits.heapMb}`,
    '--max-semi-space-size=8',
    '--disable-warning=ExperimentalWarning',
    '--disable-warning=SecurityWarning',
    fileURLToPath(entry),
    JSON.stringify({ trained: limits.trained, recognitionMs: limits.recognitionMs } satisfies ChildSettings),
  ]
  if (process.platform === 'win32') return { file: process.execPath, args: node }
  // The shell sets the limits that Node has no option for, then becomes the child: same process, same channels.
  const script = `ulimit -t ${limits.cpuSeconds}; ulimit -c 0; ${DIE_WITH_PARENT}; exec "$0" "$@"`
  return { file: '/bin/sh', args: ['-c', script, process.execPath, ...node] }
}
