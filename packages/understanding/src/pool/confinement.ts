import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** What the kernel holds children to, besides what Node holds their JavaScript to. */
export interface Confinement {
  /** The version of Landlock: what is not named is not read, nothing is written, no connection is made. 0: none. */
  landlock: number
  /** No process is started, no socket opened, no other process looked into. */
  seccomp: boolean
}

const LAUNCHER = fileURLToPath(new URL('./confine.pl', import.meta.url))
const PERL = '/usr/bin/perl'
const hasLauncher =
  process.platform === 'linux' && ['x64', 'arm64'].includes(process.arch) && existsSync(PERL)

/** Tries it on a process of its own: what a kernel has may still be closed by what the service runs in. */
export async function inspectConfinement(): Promise<Confinement> {
  if (!hasLauncher) return { landlock: 0, seccomp: false }
  const { stdout } = await promisify(execFile)(PERL, [LAUNCHER, process.arch, 'report'], { env: {} })
  const [landlock, seccomp] = stdout.split(' ').map(Number)
  return { landlock: landlock!, seccomp: seccomp === 1 }
}

/** Before its third version Landlock lets files that may be read be truncated. */
const LEAST_LANDLOCK = 3

export const isWhole = ({ landlock, seccomp }: Confinement): boolean => landlock >= LEAST_LANDLOCK && seccomp

/** What is missing of it, and where that comes from, in sentences. */
export function missingText({ landlock, seccomp }: Confinement): string {
  if (!hasLauncher) return `It takes Linux 6.2 or newer on x64 or arm64, and ${PERL}.`
  return [
    landlock === 0 &&
      'Landlock is missing: the kernel needs CONFIG_SECURITY_LANDLOCK, and landlock among its lsm= modules.',
    landlock > 0 &&
      landlock < LEAST_LANDLOCK &&
      `Landlock ${landlock} is too old: version ${LEAST_LANDLOCK} comes with Linux 6.2.`,
    !seccomp &&
      'seccomp is missing: the kernel needs CONFIG_SECCOMP_FILTER, and the container must not deny prctl(PR_SET_SECCOMP).',
  ]
    .filter((sentence) => sentence !== false)
    .join(' ')
}

/** In words, for people. */
export function confinementText({ landlock, seccomp }: Confinement): string {
  const held = [...(landlock > 0 ? [`Landlock ${landlock}`] : []), ...(seccomp ? ['seccomp'] : [])]
  return held.length > 0 ? held.join(', ') : 'none'
}

/**
 * The command by which `program` runs confined: it reads `readable`, paths and what is in them, and what every program
 * needs. Null where there is nothing to confine it with.
 * @param required it does not run at all where the kernel does not do both
 * @throws Error where it is required and there is nothing
 */
export function confined(
  program: string,
  args: readonly string[],
  readable: readonly string[],
  required: boolean,
): string[] | null {
  if (!hasLauncher) {
    if (required) throw new Error(`nothing confines children here: that takes Linux and ${PERL}`)
    return null
  }
  const paths = [program, ...readable, ...EVERY_PROGRAM, ...libraries()]
  return [PERL, LAUNCHER, process.arch, required ? 'required' : 'run', ...paths, '--', program, ...args]
}

/** How the loader finds libraries, where the settings of OpenSSL are said to be, time zones, and fonts for words in drawings. */
const EVERY_PROGRAM = [
  '/etc/ld.so.cache',
  '/dev/null',
  '/etc/localtime',
  '/usr/share/zoneinfo',
  '/etc/fonts',
  '/usr/share/fontconfig',
  '/usr/share/fonts',
  '/usr/local/share/fonts',
  '/var/cache/fontconfig',
]

let found: string[] | undefined
/** The folders of the libraries that this process itself has loaded: children are the same program. */
function libraries(): string[] {
  const paths = readFileSync('/proc/self/maps', 'utf8').matchAll(/ (\/\S+\.so\b\S*)$/gm)
  return (found ??= [...new Set(Array.from(paths, ([, path]) => dirname(path!)))])
}
