import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readdir, stat } from 'node:fs/promises'
import { getPriority } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { EngineUnavailable } from '@medialog/application/ports'
import { UnreadableFile, type SourceFile } from '@medialog/application/ports/understanding'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { scratchFolder, sourceFile } from '../testing/fixtures.ts'
import { ExtractorPool, type PoolOptions } from './pool.ts'

const entry = new URL('../testing/misbehaving-child.ts', import.meta.url)
let folder: Awaited<ReturnType<typeof scratchFolder>>
let pools: ExtractorPool[] = []

beforeAll(async () => {
  folder = await scratchFolder()
})
afterEach(async () => {
  await Promise.all(pools.map((pool) => pool.close()))
  pools = []
})
afterAll(() => folder.remove())

function start(options: PoolOptions = {}): ExtractorPool {
  const pool = new ExtractorPool({ entry, deadlineMs: 120_000, heapMb: 64, rssMb: 400, ...options })
  pools.push(pool)
  return pool
}

let files = 0
async function order(deed: string): Promise<SourceFile> {
  const path = await folder.write(`${++files}.txt`, deed)
  return sourceFile(path, Buffer.from(deed))
}

const run = async (
  pool: ExtractorPool,
  deed: string,
  signal?: AbortSignal,
  accountId?: string,
): Promise<string> =>
  (await pool.extract(await order(deed), { ...(signal && { signal }), ...(accountId && { accountId }) }))
    .extraction.text

const failure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (error: unknown) => error,
  )

const isAlive = (pid: number): boolean => existsSync(`/proc/${pid}`) || signalled(pid)
function signalled(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

async function gone(pids: number[]): Promise<boolean> {
  for (const end = Date.now() + 60_000; Date.now() < end; await sleep(50))
    if (!pids.some(isAlive)) return true
  return false
}

describe('children at work', () => {
  test('are used again, and replaced after their number of files', async () => {
    const pool = start({ concurrency: 1, filesPerChild: 2 })
    const pids = [await run(pool, 'pid'), await run(pool, 'pid'), await run(pool, 'pid')]
    expect(pids[0]).toBe(pids[1])
    expect(pids[2]).not.toBe(pids[1])
  })

  test('find their successor started when they have served', async () => {
    const pool = start({ concurrency: 1, filesPerChild: 10 })
    for (let file = 1; file < 10; file++) await run(pool, 'pid')
    const [, successor] = pool.pids
    await run(pool, 'pid')
    expect(Number(await run(pool, 'pid'))).toBe(successor)
  })

  test('for the background have a lower priority, and read for nothing else', async () => {
    const pool = start({ concurrency: 1 })
    const read = async (isBackground: boolean): Promise<number> =>
      Number((await pool.extract(await order('pid'), { isBackground })).extraction.text)
    const usual = getPriority()
    const [awaited, background] = [await read(false), await read(true)]
    expect([getPriority(awaited), getPriority(background)]).toEqual([usual, usual + 5])
    expect([await read(true), await read(false)]).toEqual([background, awaited])
  })

  test('forget what they have read', async () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    const pool = start({ concurrency: 1 })
    const read = new WeakRef((await pool.extract(await order('read'))).extraction)
    await sleep(100)
    collect()
    expect(read.deref()).toBeUndefined()
    expect(pool.pids).not.toEqual([])
  })

  test('are at most as many as agreed, whatever waits', async () => {
    const pool = start({ concurrency: 2 })
    const texts = await Promise.all(Array.from({ length: 8 }, (_, index) => run(pool, `echo ${index}`)))
    expect(texts).toEqual(['0', '1', '2', '3', '4', '5', '6', '7'])
    expect(pool.pids.length).toBeLessThanOrEqual(3)
  })

  test('of native code read for one account alone, and few of them wait', async () => {
    const pool = start({ concurrency: 1 })
    const format = { ...(await order('pid')).format, name: 'eml' }
    const pidFor = async (accountId: string) =>
      (await pool.extract({ ...(await order('pid')), format }, { accountId })).extraction.text
    const [a, again, b] = [await pidFor('a'), await pidFor('a'), await pidFor('b')]
    expect(again).toBe(a)
    expect(b).not.toBe(a)
    expect(await pidFor('a'), 'one waits: that of b').not.toBe(a)
    expect(pool.pids.length, 'and a spare one').toBeLessThanOrEqual(3)
  })

  test('that answer what none of ours would are not believed, nor used again', async () => {
    const pool = start({ concurrency: 1 })
    for (const reply of [
      'null',
      '"text"',
      '{"kind":"unreadable","reason":"because","message":"","usage":{"rss":1,"cpu":1}}',
    ]) {
      const pid = await run(pool, 'pid')
      expect(await failure(run(pool, `reply ${reply}`))).toMatchObject({ reason: 'corrupted' })
      expect(await run(pool, 'pid')).not.toBe(pid)
    }
  })

  test.each([
    ['a message of Node’s own', `bytes ${Buffer.from('{"cmd":"NODE_HANDLE_ACK"}\n').toString('hex')}`],
    ['junk of 16 bytes', 'bytes ff0dff0dff0dff0dff0dff0dff0dff0d'],
    ['a frame announced as 2 GB', 'bytes ffffff7f00000000'],
    ['parts announced as 2 GB', 'bytes 02000000ffffff7f'],
    ['frames without end', 'flood'],
    ['a head of a million values', 'nested 1000000'],
  ])('%s ends the child, and nothing else', async (_, deed) => {
    const pool = start({ concurrency: 1 })
    const pid = Number(await run(pool, 'pid'))
    const before = process.memoryUsage.rss()
    expect(await failure(run(pool, deed))).toMatchObject({ reason: 'corrupted' })
    expect(process.memoryUsage.rss() - before).toBeLessThan(64e6)
    expect(await gone([pid])).toBe(true)
    expect(await run(pool, 'echo next')).toBe('next')
  })

  test('a reply without a request ends the child', async () => {
    const pool = start({ concurrency: 1 })
    const pid = Number(await run(pool, 'pid'))
    expect(await run(pool, 'twice here')).toBe('here')
    expect(await gone([pid])).toBe(true)
    expect(await run(pool, 'echo next')).toBe('next')
  })

  test('a file of several pipe buffers arrives whole', async () => {
    const pool = start()
    const text = await run(pool, `echo ${'word '.repeat(40_000)}`)
    expect(text.length).toBe(5 * 40_000 - 1)
  })

  test('what waits is bounded', async () => {
    const pool = start({ concurrency: 1, queue: 1 })
    const stop = new AbortController()
    const [one, other, third] = [await order('wait'), await order('wait'), await order('echo third')]
    const [first, second] = [one, other].map((file) => failure(pool.extract(file, { signal: stop.signal })))
    expect(await failure(pool.extract(third))).toBeInstanceOf(EngineUnavailable)
    stop.abort(new Error('enough'))
    expect(await first).toMatchObject({ message: 'enough' })
    expect(await second).toMatchObject({ message: 'enough' })
    expect(await run(pool, 'echo after')).toBe('after')
  })
})

describe('accounts', () => {
  const stopping = new AbortController()
  const hostile = (pool: ExtractorPool, count: number): Promise<unknown>[] =>
    Array.from({ length: count }, (_, index) =>
      failure(run(pool, index % 2 === 0 ? 'loop' : 'wait', stopping.signal, `hostile ${index % 2}`)),
    )

  test('files of one that take long, however many, do not keep another’s waiting', async () => {
    const pool = start({ longMs: 100 })
    const endless = hostile(pool, 40)
    const texts = await Promise.all(
      Array.from({ length: 6 }, (_, index) => run(pool, `echo ${index}`, undefined, 'honest')),
    )
    expect(texts).toEqual(['0', '1', '2', '3', '4', '5'])
    expect(pool.pids.length, 'two of each account, and a spare one').toBeLessThanOrEqual(7)
    stopping.abort(new Error('enough'))
    await Promise.all(endless)
    expect(await run(pool, 'echo after', undefined, 'hostile 0')).toBe('after')
  })

  test('a file finds a place beside all that another has at work', async () => {
    const pool = start({ longMs: 120_000 })
    const stop = new AbortController()
    const held = Array.from({ length: 3 }, () => failure(run(pool, 'wait', stop.signal, 'greedy')))
    expect(await run(pool, 'echo here', undefined, 'other')).toBe('here')
    stop.abort(new Error('enough'))
    await Promise.all(held)
  })

  test('a file that a client waits for is read beside background files of the same account', async () => {
    const pool = start({ concurrency: 2, longMs: 120_000 })
    const stop = new AbortController()
    const background = { signal: stop.signal, accountId: 'one', isBackground: true }
    const files = await Promise.all(Array.from({ length: 4 }, () => order('wait')))
    const held = files.map((file) => failure(pool.extract(file, background)))
    expect(await run(pool, 'echo here', undefined, 'one')).toBe('here')
    stop.abort(new Error('enough'))
    await Promise.all(held)
  })

  test('of one no more than a part may wait', async () => {
    const pool = start({ concurrency: 1, queueOfOne: 1 })
    const stop = new AbortController()
    const files = await Promise.all(['wait', 'wait', 'echo more', 'echo other'].map(order))
    const other = files.pop()!
    const [atWork, waits, refused] = files.map((file) =>
      failure(pool.extract(file, { signal: stop.signal, accountId: 'greedy' })),
    )
    const read = pool.extract(other, { accountId: 'other' })
    expect(await refused).toBeInstanceOf(EngineUnavailable)
    stop.abort(new Error('enough'))
    expect(await Promise.all([atWork, waits])).toMatchObject([{ message: 'enough' }, { message: 'enough' }])
    expect((await read).extraction.text).toBe('other')
  })
})

test('a child that takes more processor time than it may is killed, however long the file may take', async () => {
  const pool = start({ concurrency: 1, cpuMs: 300 })
  expect(await failure(run(pool, 'loop'))).toMatchObject({ reason: 'timeout' })
  expect(await run(pool, 'echo next')).toBe('next')
})

describe('a child that somebody kills', () => {
  const kill = (pid: number): void => {
    if (isAlive(pid)) process.kill(pid, 'SIGKILL')
  }

  test('is replaced, and its file read', async () => {
    const pool = start({ concurrency: 1 })
    const first = Number(await run(pool, 'pid'))
    const read = run(pool, 'slowly here')
    await sleep(100)
    kill(first)
    expect(await read).toBe('here')
    expect(pool.pids).not.toContain(first)
  })

  test('again and again: reading is unavailable, and the file is not blamed', async () => {
    const pool = start({ concurrency: 1 })
    await run(pool, 'echo')
    const killing = setInterval(() => pool.pids.forEach(kill), 300)
    expect(await failure(run(pool, 'wait'))).toBeInstanceOf(EngineUnavailable)
    clearInterval(killing)
  })
})

describe('a file that kills or stalls its child is unreadable, and the next one is read', () => {
  test.each([
    ['heap', 'memory', {}],
    ['buffers', 'memory', {}],
    ['loop', 'timeout', { deadlineMs: 2000 }],
    ['wait', 'timeout', { deadlineMs: 2000 }],
    ['crash', 'corrupted', {}],
    ['exit', 'corrupted', {}],
    ['throw', 'corrupted', {}],
  ] as const)('%s: %s', async (deed, reason, options) => {
    const pool = start({ concurrency: 1, ...options })
    const error = await failure(run(pool, deed))
    expect(error).toBeInstanceOf(UnreadableFile)
    expect(error).toMatchObject({ reason, message: expect.stringMatching(/^[A-Z][^’]*\.$/) })
    expect(await run(pool, 'echo next')).toBe('next')
  })

  test('reading words from pictures has its own time besides', async () => {
    const trained = [{ language: 'xyz', path: '/nowhere/xyz.traineddata' }]
    const pool = start({ concurrency: 1, deadlineMs: 1500, recognitionMs: 4500, trained })
    const began = performance.now()
    expect(await failure(run(pool, 'recognize'))).toMatchObject({
      reason: 'timeout',
      message: expect.stringContaining('6 seconds'),
    })
    // Without, it would end after thrice the deadline at the latest, however busy the machine is.
    expect(performance.now() - began).toBeGreaterThan(5000)
  })

  test('an abort kills the child at once', async () => {
    const pool = start({ concurrency: 1 })
    const pid = Number(await run(pool, 'pid'))
    const error = await failure(run(pool, 'loop', AbortSignal.timeout(200)))
    expect(error).toMatchObject({ name: 'TimeoutError' })
    expect(await gone([pid])).toBe(true)
  })

  test('closing ends every child and fails what is at work as unavailable', async () => {
    const pool = start()
    const work = failure(pool.extract(await order('wait')))
    const { pids } = pool
    await pool.close()
    expect(pids.length).toBeGreaterThan(0)
    expect(await work).toBeInstanceOf(EngineUnavailable)
    expect(await gone(pids)).toBe(true)
  })
})

test('children that cannot start are no fault of the file', async () => {
  const pool = start({ entry: new URL('../testing/no-such-child.ts', import.meta.url) })
  const error = await failure(run(pool, 'echo'))
  expect(error).toBeInstanceOf(EngineUnavailable)
  expect(error).toMatchObject({ message: expect.stringContaining('no-such-child') })
})

describe('what a child may do', () => {
  test.each(['write', 'spawn', 'worker'])('%s is refused by the permission model', async (deed) => {
    expect(await run(start(), deed)).toBe('refused: ERR_ACCESS_DENIED')
  })

  test('it reads what was compiled before, and the system keeps it from writing that', async () => {
    const kept = join(folder.path, 'compiled')
    await mkdir(kept)
    vi.stubEnv('NODE_COMPILE_CACHE', kept)
    // A service makes its folder there at its own start, before it starts children.
    await once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'exit')
    onTestFinished(() => void vi.unstubAllEnvs())
    const before = await readdir(kept, { recursive: true })
    const pool = start()
    expect(await run(pool, 'compiled')).toContain(kept)
    expect(await run(pool, `write ${join(kept, 'forged')}`)).toBe('refused: ERR_ACCESS_DENIED')
    await pool.close()
    for (const path of await readdir(kept, { recursive: true })) {
      const file = await stat(join(kept, path))
      expect(before.includes(path) || !file.isFile() ? 0 : file.size, path).toBe(0)
    }
  })

  test('nothing outside the code can be read, not even the file at work', async () => {
    const pool = start()
    const path = await folder.write('secret', 'other people’s words')
    expect(await run(pool, `read ${path}`)).toBe('refused: ERR_ACCESS_DENIED')
    expect(await run(pool, 'read /etc/passwd')).toBe('refused: ERR_ACCESS_DENIED')
    expect(await run(pool, `read ${fileURLToPath(import.meta.url)}`)).toContain('nothing outside the code')
  })

  test('of what is outside the code only the trained data it was given', async () => {
    const path = await folder.write('xyz.traineddata', 'letters')
    const pool = start({ trained: [{ language: 'xyz', path }] })
    expect(await run(pool, `read ${path}`)).toBe('letters')
    const beside = await folder.write('abc.traineddata', 'others')
    expect(await run(pool, `read ${beside}`)).toBe('refused: ERR_ACCESS_DENIED')
  })

  test('there is no network', async () => {
    const pool = start()
    expect(await run(pool, 'connect')).toBe('refused: extractors have no network')
    expect(await run(pool, 'fetch')).toBe('refused: extractors have no network')
  })

  test('the environment is empty', async () => {
    vi.stubEnv('NODE_COMPILE_CACHE', undefined)
    onTestFinished(() => void vi.unstubAllEnvs())
    const names = Object.keys(JSON.parse(await run(start(), 'environment')) as object)
    // What the shell sets itself.
    expect(names.filter((name) => !['PWD', 'OLDPWD', 'SHLVL', '_'].includes(name))).toEqual([])
  })
})

describe('children die with their parent, even when it is killed', () => {
  const parent = fileURLToPath(new URL('../testing/pool-parent.ts', import.meta.url))

  test.each([
    ['idle or waiting', 'wait'],
    ['spinning: by the kernel, else by their CPU limit', 'loop'],
  ])('%s', async (_, deed) => {
    const { path } = await order(deed)
    const process_ = spawn(process.execPath, [parent, entry.href, path], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [line] = (await once(process_.stdout, 'data')) as [Buffer]
    const pids = JSON.parse(line.toString()) as number[]
    expect(pids.length).toBeGreaterThan(0)
    expect(pids.every(isAlive)).toBe(true)
    process_.kill('SIGKILL')
    await once(process_, 'exit')
    expect(await gone(pids)).toBe(true)
  })
})
