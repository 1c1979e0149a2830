import { fileURLToPath } from 'node:url'
import { join, resolve, sep } from 'node:path'
import type { Profile } from '../formats.ts'
import { confined } from './confinement.ts'
import type { TrainedData } from '../ocr/trained-data.ts'

/** What a child may use. */
export interface ChildLimits {
  /** The JavaScript heap in MB; V8 ends the process beyond it. */
  heapMb: number
  /** CPU seconds of its whole life: ends even a child that spins after its parent was killed. */
  cpuSeconds: number
  /** Whether it only runs where the kernel confines it. */
  confined: boolean
  /** By which words in pictures are read; none: they are not. */
  trained: readonly TrainedData[]
  /** Milliseconds that reading the pictures of one file may take. */
  recognitionMs: number
  /** Milliseconds of processor time in which they are drawn and searched for writing before. */
  lookingMs: number
}

/** What a child is told about itself, as its one argument. */
export type ChildSettings = Pick<ChildLimits, 'trained' | 'recognitionMs' | 'lookingMs'>

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))
/** Code and its models: all that a child may read besides trained data, so no data folder and no staged file. */
const READABLE = ['node_modules', 'packages', 'package.json'].map((name) => join(ROOT, name))

/**
 * A busy child cannot hear that its parent is gone. What confines it sees to that; else, where util-linux is at hand, the kernel is asked to kill it then
 * (prctl PR_SET_PDEATHSIG); elsewhere the limit of CPU seconds ends it.
 */
const DIE_WITH_PARENT = 'setpriv --pdeathsig KILL true 2>/dev/null && exec setpriv --pdeathsig KILL "$0" "$@"'

/**
 * Where Node keeps what it compiled, where it does. It reads there only for whom it might write there, too: a child gives that
 * right up before its first file, and the system lets it write nothing from the start. Windows has no such limit.
 */
const keptCode = (): string[] => {
  const { NODE_COMPILE_CACHE } = process.env
  return NODE_COMPILE_CACHE && process.platform !== 'win32' ? [resolve(NODE_COMPILE_CACHE)] : []
}

/** The environment of an extractor child. */
export const childEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(keptCode().map((path) => ['NODE_COMPILE_CACHE', path]))

/** File and arguments that start an extractor child under Node's permission model, and confined by the kernel where it can. */
export function childCommand(
  entry: URL,
  profile: Profile,
  limits: ChildLimits,
): { file: string; args: string[] } {
  const { trained, recognitionMs, lookingMs } = limits
  const node = [
    '--permission',
    ...READABLE.map((path) => `--allow-fs-read=${path.endsWith('.json') ? path : path + sep}`),
    ...trained.map(({ path }) => `--allow-fs-read=${path}`),
    ...keptCode().flatMap((path) => [`--allow-fs-read=${path}${sep}`, `--allow-fs-write=${path}${sep}`]),
    ...(profile === 'native' ? ['--allow-addons'] : []),
    `--max-old-space-size=${limits.heapMb}`,
    '--max-semi-space-size=8',
    '--disable-warning=ExperimentalWarning',
    '--disable-warning=SecurityWarning',
    fileURLToPath(entry),
    JSON.stringify({ trained, recognitionMs, lookingMs } satisfies ChildSettings),
  ]
  if (process.platform === 'win32') return { file: process.execPath, args: node }
  const readable = [...READABLE, ...trained.map(({ path }) => path), ...keptCode()]
  // What the machine sets for OpenSSL lies where the child may not read.
  const command = confined(
    process.execPath,
    ['--openssl-config=/dev/null', ...node],
    readable,
    limits.confined,
  )
  // The shell sets the limits that Node has no option for, then becomes the child: same process, same channels.
  // Where both are the same it is killed as one is that takes too much memory.
  const cpu = `ulimit -S -t ${limits.cpuSeconds}; ulimit -H -t ${limits.cpuSeconds + 5}`
  const script = `${cpu}; ulimit -c 0; ulimit -f 0; ${command ? '' : `${DIE_WITH_PARENT}; `}exec "$0" "$@"`
  return { file: '/bin/sh', args: ['-c', script, ...(command ?? [process.execPath, ...node])] }
}
