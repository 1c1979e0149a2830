import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { plainDocx } from '@medialog/understanding/testing/docx'
import { plainPdf, type Line } from '@medialog/understanding/testing/pdf'
import { openAccount } from '../src/harness/accounts.ts'
import { medialogOn } from '../src/harness/cli.ts'
import { engineAddress } from '../src/engines.ts'
import { asAccount, asOperator, type Client } from '../src/harness/client.ts'
import { startCluster, type Role } from '../src/harness/processes.ts'
import { startServer, temporaryDataFolder, type RunningServer } from '../src/harness/server.ts'
import { progress } from './progress.ts'
import { usageOf, watchUsage } from './process-tree.ts'
import { row, type BenchRows } from './row.ts'
import { SCALE, sized } from './scale.ts'
import { milliseconds, rateOf } from './timing.ts'
import { checkedOut } from './tree-of.ts'

const PAGE = new URL('../../docs/sizing.md', import.meta.url)
const CRANFIELD = new URL('../benchmarks/cranfield/cran.all.1400.xml', import.meta.url)
const FIXTURES = new URL('../fixtures/', import.meta.url)
const AT_ONCE = 4
const SEARCHES = sized(200)
/** After which the threads that files needed are closed. */
const SETTLED_MS = SCALE === 1 ? 35_000 : 1_000

type File = (number: number) => { name: string; bytes: Buffer | string }

const words = readFileSync(CRANFIELD, 'utf8')
  .replaceAll(/<[^>]+>|[()\\]/g, ' ')
  .split(/\s+/)
  .filter((word) => /^[\x21-\x7e]+$/.test(word))
const text = (number: number, bytes: number): string => {
  const begin = (number * 97) % (words.length - bytes / 4)
  return `${number} ${words.slice(begin, begin + bytes / 4).join(' ')}`.slice(0, bytes)
}
const fixture = (path: string): Buffer => readFileSync(new URL(path, FIXTURES))
const page = (number: number): Line[] =>
  Array.from({ length: 46 }, (_, line) => [800 - 16 * line, text(number * 46 + line, 85)])

/** The files of a kind, each of another content, and how many of them are measured. */
const KINDS: Record<string, [count: number, file: File]> = {
  'text of 1 kB': [60, (n) => ({ name: 'note.txt', bytes: text(n, 1_000) })],
  'text of 10 kB': [40, (n) => ({ name: 'report.txt', bytes: text(n, 10_000) })],
  'Word document of a page': [30, (n) => ({ name: 'page.docx', bytes: plainDocx([text(n, 3_000)]) })],
  'PDF of a page': [30, (n) => ({ name: 'page.pdf', bytes: plainPdf([page(n)]) })],
  'PDF of 200 pages': [
    2,
    (n) => ({
      name: 'book.pdf',
      bytes: plainPdf(Array.from({ length: 200 }, (_, at) => page(n * 200 + at))),
    }),
  ],
  'photo, 0.1 MB': [30, (n) => ({ name: 'photo.png', bytes: behind(fixture('images/sample.png'), n) })],
  'sound of some seconds': [
    20,
    (n) => ({ name: 'sound.mp3', bytes: behind(fixture('audio/sample.mp3'), n) }),
  ],
  'film of some seconds': [20, (n) => ({ name: 'film.mp4', bytes: behind(fixture('video/sample.mp4'), n) })],
  '3D scene': [20, (n) => ({ name: 'scene.obj', bytes: `${fixture('3d/sample.obj').toString()}\n# ${n}\n` })],
}

/** The same file with other bytes: a box that readers of MP4 skip, and that others do not reach. */
function behind(file: Buffer, number: number): Buffer {
  const box = Buffer.alloc(16)
  box.writeUInt32BE(box.length)
  box.write('free', 4)
  box.writeUInt32BE(number, 12)
  return Buffer.concat([file, box])
}

interface Kind {
  kind: string
  /** Each of one file: seconds of processor time, bytes on disk. */
  cpu: number
  disk: number
  /** The most at a time, all processes together, in bytes. */
  memory: number
}

interface Library {
  items: number
  disk: number
  /** Bytes: after a start and some searches, with nothing to do. */
  memory: number
  /** Seconds, each. */
  start: number
  rebuild: number
  backup: number
  verify: number
  restore: number
}

/**
 * The cost of files by their kind, and of libraries by their size: processor, disk, memory, times to start, to rebuild the read
 * models, to back up, verify and restore. Ratios are those of the larger library to the smaller.
 */
export async function* benchSizing(): BenchRows {
  const kinds = await sizeKinds()
  const sizes = [sized(500), sized(3_000)]
  const libraries = await sizeLibraries(sizes)
  const [small, large] = libraries as [Library, Library]
  const roles = await sizeRoles()
  if (SCALE === 1) keepPage(kinds, libraries, roles)
  for (const [what, unit, factor] of [
    ['disk', 'MB', 1e-6],
    ['memory', 'MB', 1e-6],
    ['start', 's', 1],
    ['rebuild', 's', 1],
    ['backup', 's', 1],
    ['verify', 's', 1],
    ['restore', 's', 1],
  ] as const)
    yield row(
      `${what} of ${large.items} texts of 1 kB, against ${small.items}`,
      small[what] * factor,
      large[what] * factor,
      unit,
    )
}

/** Each with a service of its own: what one kind has loaded is no part of another's. */
async function sizeKinds(): Promise<Kind[]> {
  const found: Kind[] = []
  for (const [kind, [count, file]] of Object.entries(KINDS)) {
    const folder = await temporaryDataFolder()
    try {
      let apiKey: string | null = null
      const uploaded = async (numbers: readonly number[]) => {
        const server = await startFor(folder.path)
        apiKey ??= await keyOfNew(server)
        const client = asAccount(server.url, apiKey)
        // What is loaded with the first files is no part of the others.
        await uploadAll(client, [file(900_000 + numbers.length)], kind)
        const used = watchUsage(server.pid)
        await uploadAll(client, numbers.map(file), kind)
        const usage = used.stop()
        await server.stop()
        // Stopped: what was written ahead is where it stays.
        return { ...usage, disk: await bytesIn(folder.path) }
      }
      const before = await uploaded([])
      const numbers = Array.from({ length: sized(count, 2) }, (_, number) => number)
      const { cpu, memory, disk } = await uploaded(numbers)
      found.push({
        kind,
        cpu: cpu / numbers.length,
        disk: (disk - before.disk) / (numbers.length + 1),
        memory,
      })
      progress('kinds of files', found.length, Object.keys(KINDS).length)
    } finally {
      await folder.remove()
    }
  }
  return found
}

async function sizeLibraries(sizes: readonly number[]): Promise<Library[]> {
  const found: Library[] = []
  const folder = await temporaryDataFolder()
  const elsewhere = await temporaryDataFolder()
  let apiKey: string | null = null
  let uploaded = 0
  try {
    for (const items of sizes) {
      let server = await startFor(folder.path)
      apiKey ??= await keyOfNew(server)
      const client = asAccount(server.url, apiKey)
      for (; uploaded < items; uploaded += AT_ONCE) {
        const [, file] = KINDS['text of 1 kB']!
        const some = Array.from({ length: Math.min(AT_ONCE, items - uploaded) }, (_, at) =>
          file(uploaded + at),
        )
        await uploadAll(client, some, 'texts')
        progress('texts uploaded', uploaded, items)
      }
      await server.stop()
      rmSync(join(folder.path, 'read-models'), { recursive: true })
      const rebuild = await timed(async () => {
        server = await startFor(folder.path)
        await allOperational(asAccount(server.url, apiKey!))
      })
      await server.stop()
      const start = await timed(async () => void (server = await startFor(folder.path)))
      const searching = asAccount(server.url, apiKey)
      for (let search = 0; search < SEARCHES; search++)
        await searching.request('POST', '/v1/search', { json: { query: text(search, 40) } })
      await sleep(SETTLED_MS)
      const { memory } = usageOf(server.pid)
      const disk = await bytesIn(folder.path)
      const [kept, restored] = [
        join(elsewhere.path, `backup-${items}`),
        join(elsewhere.path, `restored-${items}`),
      ]
      const carriedOut = (...command: string[]) =>
        timed(async () => {
          const { code, answer } = await medialogOn(folder.path, ...command)
          if (code !== 0) throw new Error(`${command[0]} ended with ${code}: ${JSON.stringify(answer)}`)
        })
      const backup = await carriedOut('backup', kept)
      const verify = await carriedOut('backup', 'verify', kept)
      await server.stop()
      const restore = await carriedOut('restore', kept, '--data', restored, '--without-erasures')
      found.push({ items, disk, memory, start, rebuild, backup, verify, restore })
    }
    return found
  } finally {
    await folder.remove()
    await elsewhere.remove()
  }
}

interface Roles {
  items: number
  /** Seconds of processor time for a text, and bytes of memory afterwards, of one process of each role. */
  roles: { role: Role; cpu: number; memory: number }[]
  /** Bytes that Elasticsearch keeps for a text. */
  index: number
}

/** Null where the engines that processes share have no address. */
async function sizeRoles(): Promise<Roles | null> {
  const elasticsearch = engineAddress('elasticsearch')
  if (elasticsearch === null || engineAddress('temporal') === null) return null
  const cluster = await startCluster({ processes: { projections: 1, worker: 1, api: 1 } })
  try {
    const account = await cluster.openAccount(10_000)
    const [count, file] = [sized(150), KINDS['text of 1 kB']![1]]
    const running = (['api', 'worker', 'projections'] as const).map((role) => ({
      role,
      pid: cluster.processes[role][0]!.pid,
    }))
    await uploadAll(account.at(0), [file(900_001)], 'roles')
    const before = running.map(({ pid }) => usageOf(pid).cpu)
    await uploadAll(
      account.at(0),
      Array.from({ length: count }, (_, number) => file(number)),
      'roles',
    )
    await sleep(SETTLED_MS)
    const roles = running.map(({ role, pid }, at) => {
      const { cpu, memory } = usageOf(pid)
      return { role, cpu: (cpu - before[at]!) / count, memory }
    })
    const prefix = cluster.env['ELASTICSEARCH_PREFIX']!
    await fetch(`${elasticsearch}/${prefix}*/_forcemerge?max_num_segments=1`, { method: 'POST' })
    const stats = (await (await fetch(`${elasticsearch}/${prefix}*/_stats/store`)).json()) as {
      _all: { primaries: { store: { size_in_bytes: number } } }
    }
    return { items: count, roles, index: stats._all.primaries.store.size_in_bytes / count }
  } finally {
    await cluster.remove()
  }
}

const startFor = (dataFolder: string): Promise<RunningServer> =>
  startServer({ dataFolder, env: { MEDIALOG_RATE_LIMITS: 'standard=1000000000' }, readyWithinMs: 600_000 })

/** The key of an account that is opened with enough for all that is uploaded. */
async function keyOfNew({ url, operatorToken }: RunningServer): Promise<string> {
  return (
    await openAccount(asOperator(url, operatorToken), { name: 'sizing', credit: 10_000, tier: 'standard' })
  ).apiKey
}

async function uploadAll(client: Client, files: readonly ReturnType<File>[], what: string): Promise<void> {
  await rateOf(AT_ONCE, files.length, async (at) => {
    const { name, bytes } = files[at]!
    const { status, body } = await client.upload(name, bytes)
    if (status !== 200) throw new Error(`${what}: upload answered ${status}: ${JSON.stringify(body)}`)
  })
}

async function allOperational(client: Client): Promise<void> {
  for (;;) {
    const { body } = await client.request('GET', '/v1/status')
    if (body.data?.status === 'operational') return
    await sleep(50)
  }
}

const timed = async (work: () => Promise<void>): Promise<number> => (await milliseconds(work)) / 1_000

/** As the disk counts them: a file takes whole blocks. */
async function bytesIn(folder: string): Promise<number> {
  let bytes = 0
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const found = await stat(join(entry.parentPath, entry.name)).catch(() => null)
    bytes += 512 * (found?.blocks ?? 0)
  }
  return bytes
}

const BEGIN = '<!-- Made by `npm run bench -- sizing`. -->\n'
const END = '<!-- To here. -->\n'

function keepPage(kinds: readonly Kind[], libraries: readonly Library[], shared: Roles | null): void {
  const [before, rest] = readFileSync(PAGE, 'utf8').split(BEGIN)
  const [, after] = rest!.split(END)
  const model = cpus()[0]?.model ?? 'unknown'
  const lines = [
    `${new Date().toISOString().slice(0, 10)}, commit ${checkedOut()}; ${cpus().length} cores, ${model}, Node ${process.version}.`,
    '',
    '| One file | Processor | Disk | Memory while four are read |',
    '|---|---|---|---|',
    ...kinds.map(
      ({ kind, cpu, disk, memory }) =>
        `| ${kind} | ${cpu.toFixed(2)} s | ${kilobytes(disk)} kB | ${megabytes(memory)} MB |`,
    ),
    '',
    '| Texts of 1 kB | Disk | Memory | Start | Rebuild | Backup | Verify | Restore |',
    '|---|---|---|---|---|---|---|---|',
    ...[...libraries, ...[10_000, 100_000, 1_000_000].map((items) => computed(libraries, items))].map(
      ({ items, disk, memory, start, rebuild, backup, verify, restore }) =>
        `| ${items.toLocaleString('en')}${items > libraries.at(-1)!.items ? ', computed' : ''} | ${megabytes(disk)} MB | ${items > 10 * libraries.at(-1)!.items ? '' : `${megabytes(memory)} MB`} | ${[start, rebuild, backup, verify, restore].map((seconds) => `${seconds.toFixed(1)} s`).join(' | ')} |`,
    ),
  ]
  if (shared)
    lines.push(
      '',
      `| Role, after ${shared.items} texts of 1 kB | Processor for one | Memory |`,
      '|---|---|---|',
      ...shared.roles.map(
        ({ role, cpu, memory }) => `| \`${role}\` | ${cpu.toFixed(3)} s | ${megabytes(memory)} MB |`,
      ),
      '',
      `Elasticsearch keeps ${kilobytes(shared.index)} kB for each of them, without replicas.`,
    )
  writeFileSync(PAGE, `${before}${BEGIN}\n${lines.join('\n')}\n\n${END}${after}`)
}

/** Of a library that was not measured: on the line through those that were. */
function computed([small, large]: readonly Library[], items: number): Library {
  const steps = (items - small!.items) / (large!.items - small!.items)
  const at = (name: keyof Library): number => small![name] + steps * (large![name] - small![name])
  const names = ['disk', 'memory', 'start', 'rebuild', 'backup', 'verify', 'restore'] as const
  return {
    items,
    ...Object.fromEntries(names.map((name) => [name, Math.max(at(name), small![name])])),
  } as Library
}

const kilobytes = (bytes: number): string => (bytes / 1_000).toFixed(0)
const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(0)
