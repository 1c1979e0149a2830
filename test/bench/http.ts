import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { once } from 'node:events'
import { Agent } from 'node:http'
import { asAccount } from '../src/harness/client.ts'
import { startServer, temporaryDataFolder, type RunningServer } from '../src/harness/server.ts'
import { bind, placements, usableCores } from './cores.ts'
import { send, type Call } from './http-call.ts'
import { median, row, type BenchRows } from './row.ts'
import { sized } from './scale.ts'

const TURNS = sized(40)
const REQUESTS_A_TURN = 50
const ITEMS = sized(200)
/** Of each of the two, before anything is measured: code that a service runs all day is optimised, and V8 takes its time. */
const WARM_UP = { read: sized(15_000), search: sized(4_000) }

type Server = Pick<RunningServer, 'url' | 'pid'>

/**
 * Reading one item and searching over HTTP, against a bare Koa route in a process of its own that answers the same
 * bytes: p50 of one client on a kept-alive connection, the two taking turns of fifty requests
 * once thousands of them have warmed both up. Client and servers are bound to cores, see `placements`.
 */
export async function* benchHttp(): BenchRows {
  const folder = await temporaryDataFolder()
  const server = await startServer({
    dataFolder: folder.path,
    env: { MEDIALOG_RATE_LIMITS: 'standard=1000000000' },
  })
  try {
    const client = asAccount(server.url, server.apiKey!)
    let id = ''
    for (let n = 0; n < ITEMS; n++) {
      const { body } = await client.upload(`note-${n}.txt`, note(n))
      id = body.data.media_id
    }
    const key = { 'x-api-key': server.apiKey! }
    const json = { ...key, 'content-type': 'application/json' }
    const search = { query: 'glacier crossing in July', collections: 'all' }
    yield* compare(
      'GET /v1/media/{id}',
      server,
      {
        method: 'GET',
        path: `/v1/media/${id}`,
        headers: key,
      },
      WARM_UP.read,
    )
    yield* compare(
      'POST /v1/search, vector cached',
      server,
      {
        method: 'POST',
        path: '/v1/search',
        headers: json,
        body: JSON.stringify(search),
      },
      WARM_UP.search,
    )
  } finally {
    await server.stop()
    await folder.remove()
  }
}

const note = (n: number): string =>
  `Note ${n}: the glacier above valley ${n % 17} retreats, and crossing number ${n} is open in July and August only.`

async function* compare(name: string, ours: Server, call: Call, warmUp: number): BenchRows {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const { body } = await send(agent, ours.url, call)
  const bare = await startBareKoa(body)
  const bareAgent = new Agent({ keepAlive: true, maxSockets: 1 })
  const cores = await usableCores()
  try {
    for (let n = 0; n < warmUp; n++) {
      await send(bareAgent, bare.url, call)
      await send(agent, ours.url, call)
    }
    const ask = async (at: Agent, { url }: Server, into: number[]): Promise<void> => {
      for (let n = 0; n < REQUESTS_A_TURN; n++) into.push((await send(at, url, call)).milliseconds)
    }
    for (const { where, client, servers } of placements(cores)) {
      await Promise.all([bind(process.pid, client), bind(ours.pid, servers), bind(bare.pid, servers)])
      const times = { bare: [] as number[], ours: [] as number[] }
      for (let turn = 0; turn < TURNS; turn++) {
        await ask(bareAgent, bare, times.bare)
        await ask(agent, ours, times.ours)
      }
      yield row(`${name}: p50 against a bare Koa route${where}`, median(times.bare), median(times.ours), 'ms')
    }
  } finally {
    await Promise.all([bind(process.pid, cores), bind(ours.pid, cores)])
    agent.destroy()
    bareAgent.destroy()
    await bare.stop()
  }
}

async function startBareKoa(body: Buffer): Promise<Server & { stop(): Promise<void> }> {
  const child = spawn(process.execPath, [new URL('bare-koa.ts', import.meta.url).pathname], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  child.stdin.end(body)
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  return {
    url: line.replace('ready at ', ''),
    pid: child.pid!,
    async stop() {
      const exited = once(child, 'exit')
      child.kill()
      await exited
    },
  }
}
