import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)
/** Says, among other things, which cores a process may use: `0-3,8`. */
const STATUS = '/proc/self/status'
const TASKSET = '/usr/bin/taskset'

/** Where a client runs, and the servers that it asks in turn. */
interface Placement {
  /** Ready to follow what was measured; empty where processes run wherever the system puts them. */
  where: string
  client: readonly number[]
  servers: readonly number[]
}

/** Numbers of the cores that this process may use; none where processes cannot be bound to some of them. */
export async function usableCores(): Promise<number[]> {
  if (!existsSync(STATUS) || !existsSync(TASKSET)) return []
  const [, list = ''] = /^Cpus_allowed_list:\s*(\S+)/m.exec(await readFile(STATUS, 'utf8')) ?? []
  return list.split(',').flatMap((range) => {
    const [first, last = first] = range.split('-').map(Number)
    return Array.from({ length: last! - first! + 1 }, (_, offset) => first! + offset)
  })
}

/**
 * Placements in which the times of short requests to several servers compare. Left alone, the scheduler keeps a client and
 * a server on one core or apart by how long each takes, and waking a core that sleeps takes longer than such a request.
 */
export function placements([first, second]: readonly number[]): Placement[] {
  if (first === undefined) return [{ where: '', client: [], servers: [] }]
  const together = { where: ', all on one core', client: [first], servers: [first] }
  if (second === undefined) return [together]
  return [{ where: ', servers and client on a core each', client: [first], servers: [second] }, together]
}

/** Binds a process with all its threads to these cores; where none is named, leaves it as it is. */
export async function bind(pid: number, cores: readonly number[]): Promise<void> {
  if (cores.length > 0) await run(TASKSET, ['--all-tasks', '--cpu-list', '--pid', cores.join(','), `${pid}`])
}
