import { subscribe } from 'node:diagnostics_channel'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { getHeapStatistics } from 'node:v8'
import type { Worker } from 'node:worker_threads'
import { latest } from '@medialog/kernel'
import { Gauge, type Registry } from 'prom-client'

/** Of a thread that is inside native code for longer, its last answer is reported. */
const PATIENCE_MS = 300

interface Thread {
  name: string
  /** Bytes: of JavaScript objects and code, and of buffers, which are memory of WebAssembly too. */
  heap: number
  buffers: number
}

type Statistics = Pick<ReturnType<typeof getHeapStatistics>, 'total_physical_size' | 'external_memory'>

const threadOf = (name: string, { total_physical_size, external_memory }: Statistics): Thread => ({
  name,
  heap: total_physical_size,
  buffers: external_memory,
})

/** The threads of this process with what they held last. Packages and libraries start them; Node announces each. */
const threads = new Map<Worker, Thread>()
subscribe('worker_threads', (message) => {
  const { worker } = message as { worker: Worker }
  threads.set(worker, { name: worker.threadName ?? 'unnamed', heap: 0, buffers: 0 })
  worker.once('exit', () => threads.delete(worker))
})

// Threads of pools get theirs once they have loaded their modules.
subscribe('medialog.thread', (message) => {
  const { threadId, name } = message as { threadId: number; name: string }
  for (const [worker, thread] of threads) if (worker.threadId === threadId) thread.name = name
})

/** Registers what the memory of the process is, and its threads. */
export function registerMemoryMetrics(registers: Registry[]): void {
  const measure = latest(measured)
  void new Gauge({
    name: 'medialog_memory_bytes',
    help: 'Resident memory: heap and buffers of each thread, what native code holds (models, SQLite, the allocator), files that are mapped (programs, weights of a model), and the processes that read files.',
    labelNames: ['part', 'thread'],
    registers,
    async collect() {
      const found = await measure()
      this.reset()
      for (const { name: thread, heap, buffers } of found.threads) {
        this.inc({ part: 'heap', thread }, heap)
        this.inc({ part: 'buffers', thread }, buffers)
      }
      for (const [part, bytes] of Object.entries(found.process)) this.set({ part }, bytes)
    },
  })
  void new Gauge({
    name: 'medialog_threads',
    help: 'Threads that run JavaScript; each one named embedding has a model open.',
    labelNames: ['thread'],
    registers,
    collect() {
      this.reset()
      for (const { name: thread } of threads.values()) this.inc({ thread })
    },
  })
}

const total = (bytes: number[]): number => bytes.reduce((sum, one) => sum + one, 0)

interface Measured {
  threads: Thread[]
  /** By part; none where the system does not tell. */
  process: Partial<Record<'native' | 'mapped' | 'readers', number>>
}

async function measured(): Promise<Measured> {
  await Promise.all(Array.from(threads, ask))
  const found = [threadOf('main', getHeapStatistics()), ...threads.values()]
  const own = await residentOf('self')
  if (own === null) return { threads: found, process: {} }
  const children = await Promise.all((await descendantsOf(process.pid)).map(residentOf))
  return {
    threads: found,
    process: {
      native: Math.max(0, own.anonymous - total(found.map(({ heap, buffers }) => heap + buffers))),
      mapped: own.mapped,
      readers: total(children.map((child) => child?.anonymous ?? 0)),
    },
  }
}

async function ask([worker, thread]: [Worker, Thread]): Promise<void> {
  const answer = worker.getHeapStatistics().then(
    (statistics) => Object.assign(thread, threadOf(thread.name, statistics)),
    // It has ended meanwhile.
    () => undefined,
  )
  await Promise.race([answer, delay(PATIENCE_MS, undefined, { ref: false })])
}

interface Resident {
  /** Bytes, of which those of files are shared by all processes that map them. */
  anonymous: number
  mapped: number
}

/** See proc_pid_status(5). Null where there is no such process, or nothing like it. */
async function residentOf(pid: number | 'self'): Promise<Resident | null> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => null)
  if (status === null) return null
  const bytes = (name: string): number =>
    1024 * Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0)
  return { anonymous: bytes('RssAnon') + bytes('RssShmem'), mapped: bytes('RssFile') }
}

/** Processes that it has started, and those that these have started. */
async function descendantsOf(pid: number): Promise<number[]> {
  const tasks = await readdir(`/proc/${pid}/task`).catch(() => [])
  const lists = await Promise.all(
    tasks.map((task) => readFile(`/proc/${pid}/task/${task}/children`, 'utf8').catch(() => '')),
  )
  const children = lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number))
  return [...children, ...(await Promise.all(children.map(descendantsOf))).flat()]
}
