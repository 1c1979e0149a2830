import { readdirSync, readFileSync } from 'node:fs'

/** Of Linux, whose `getconf CLK_TCK` is that everywhere. */
const TICKS_A_SECOND = 100

interface Usage {
  /** Seconds of processor time since the process began, of children that have ended too. */
  cpu: number
  /** Bytes of memory that are the processes' own share (Pss): pages that they share count once. */
  memory: number
}

/** What a process and those that it has started use at the moment. */
export function usageOf(pid: number): Usage {
  const all = processes()
  const tree = new Set([pid])
  // A child's number may be smaller than its parent's.
  for (let size = 0; size < tree.size;) {
    size = tree.size
    for (const { id, parent } of all) if (tree.has(parent)) tree.add(id)
  }
  const own = all.filter(({ id }) => tree.has(id))
  return {
    cpu: own.reduce((sum, { ticks }) => sum + ticks, 0) / TICKS_A_SECOND,
    memory: own.reduce((sum, { id }) => sum + shareOf(id), 0),
  }
}

interface Process {
  id: number
  parent: number
  ticks: number
}

const processes = (): Process[] =>
  readdirSync('/proc').flatMap((name) => {
    const text = /^\d+$/.test(name) ? read(`/proc/${name}/stat`) : null
    if (text === null) return []
    // The command's name, in brackets, may hold anything: fields are counted from behind it, see proc_pid_stat(5).
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
    return [{ id: Number(name), parent: Number(fields[1]), ticks }]
  })

const shareOf = (id: number): number =>
  1024 * Number(/^Pss:\s+(\d+)/m.exec(read(`/proc/${id}/smaps_rollup`) ?? '')?.[1] ?? 0)

/** Null once the process is gone. */
function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

/** What is used until `stop`: processor time meanwhile, and the most memory at a time. */
export function watchUsage(pid: number): { stop(): Usage } {
  const before = usageOf(pid)
  let most = before.memory
  const timer = setInterval(() => (most = Math.max(most, usageOf(pid).memory)), 200)
  return {
    stop() {
      clearInterval(timer)
      const { cpu, memory } = usageOf(pid)
      return { cpu: cpu - before.cpu, memory: Math.max(most, memory) }
    },
  }
}
