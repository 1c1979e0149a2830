import { channel } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { spawn } from 'node:child_process'
import { Registry } from 'prom-client'
import { afterEach, expect, test } from 'vitest'
import { registerMemoryMetrics } from './memory-metrics.ts'

const MB = 2 ** 20
const registry = new Registry()
registerMemoryMetrics([registry])

let stop = new AsyncDisposableStack()
afterEach(async () => {
  await stop.disposeAsync()
  stop = new AsyncDisposableStack()
})

/** A thread that says when it has run this. */
async function threadThat(name: string, code: string): Promise<Worker> {
  const worker = new Worker(
    `const { parentPort } = require('node:worker_threads'); ${code}; parentPort.on('message', () => {}); parentPort.postMessage('ready')`,
    { eval: true, name },
  )
  stop.defer(async () => void (await worker.terminate()))
  await once(worker, 'message')
  return worker
}

/** Figures by their labels. */
async function read(metric: string): Promise<Record<string, number>> {
  const { values } = await registry.getSingleMetric(metric)!.get()
  return Object.fromEntries(
    values.map(({ labels, value }) => [Object.values(labels as Record<string, string>).join(' '), value]),
  )
}

test('reports what each thread holds, of those of one name together, until it ends', async () => {
  await threadThat('first', `globalThis.kept = Array.from({ length: 500_000 }, (_, n) => ({ n }))`)
  const second = await threadThat('second', `globalThis.kept = Buffer.alloc(${30 * MB})`)
  await threadThat('second', `globalThis.kept = new WebAssembly.Memory({ initial: ${(30 * MB) / 65_536} })`)
  const memory = await read('medialog_memory_bytes')
  expect(memory['heap first']! / MB).toBeGreaterThan(15)
  expect(memory['buffers second']! / MB).toBeGreaterThan(60)
  expect(memory['buffers first']! / MB).toBeLessThan(30)
  expect(memory['heap main']).toBeGreaterThan(0)
  expect(await read('medialog_threads')).toMatchObject({ first: 1, second: 2 })
  await second.terminate()
  expect(await read('medialog_threads')).toMatchObject({ first: 1, second: 1 })
  expect((await read('medialog_memory_bytes'))['buffers second']! / MB).toBeLessThan(60)
})

test('a thread has the name that is published of it', async () => {
  const { threadId } = await threadThat('WorkerThread', '')
  channel('medialog.thread').publish({ threadId, name: 'late' })
  expect(await read('medialog_threads')).toMatchObject({ late: 1 })
  expect(await read('medialog_memory_bytes')).toHaveProperty(['heap late'])
})

test('does not wait for a thread that is inside native code', async () => {
  const worker = await threadThat(
    'asleep',
    `parentPort.on('message', () => require('node:child_process').execFileSync('sleep', ['6']))`,
  )
  const awake = await read('medialog_memory_bytes')
  worker.postMessage('sleep', [])
  const end = performance.now() + 3_000
  while (performance.now() < end) {
    const began = performance.now()
    expect((await read('medialog_memory_bytes'))['heap asleep']).toBeCloseTo(awake['heap asleep']!, -6)
    expect(performance.now() - began).toBeLessThan(2_000)
  }
})

test('reports the processes that this one has started, and of what these have', async () => {
  const child = spawn(
    'sh',
    [
      '-c',
      `node -e 'kept = Buffer.alloc(${60 * MB}, 1); console.log(1); setInterval(() => {}, 1000)' & wait`,
    ],
    {
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
    },
  )
  stop.defer(() => void process.kill(-child.pid!, 'SIGKILL'))
  await once(child.stdout, 'data')
  const { readers, native, mapped } = await read('medialog_memory_bytes')
  expect(readers! / MB).toBeGreaterThan(60)
  expect(native).toBeGreaterThan(0)
  expect(mapped! / MB).toBeGreaterThan(20)
})
