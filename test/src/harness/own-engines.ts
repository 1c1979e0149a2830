import { execFile } from 'node:child_process'
import { chmod, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { vi } from 'vitest'
import { freePort } from './free-port.ts'

const run = promisify(execFile)
const LONG = { timeout: 60_000, interval: 50 }
/** A Java that lives for minutes does not earn back what compiling twice costs: half of its start. */
const COMPILED_ONCE = { JDK_JAVA_OPTIONS: '-XX:TieredStopAtLevel=1' }

/** A server that nobody else uses, so that it may be killed. */
export interface OwnEngine {
  /** `host:port`, kept over its deaths. */
  readonly address: string
  /** kill -9, resolving once it is gone. */
  kill(): Promise<void>
  /** Starts it again on what it had stored. */
  start(): Promise<void>
  /** Ends it, and removes all that it stored. */
  remove(): Promise<void>
}

interface Kind {
  /** The folder of its script. */
  script: string
  /** What it listens on, the first of them for clients. */
  ports: readonly string[]
  settings: (home: string) => Record<string, string>
  pidFile: string
  /** How names begin of what it was unpacked to, below its folder in `ENGINES_HOME`: it does not change there. */
  unpacked: string | null
}

const KINDS = {
  elasticsearch: {
    script: 'elasticsearch',
    ports: ['ES_PORT', 'ES_TRANSPORT_PORT'],
    settings: (home) => ({ ES_RUN: home, ES_HEAP: '512m' }),
    pidFile: 'es.pid',
    unpacked: 'dist-',
  },
  temporal: {
    script: 'temporal',
    ports: ['TEMPORAL_PORT', 'TEMPORAL_HTTP_PORT', 'TEMPORAL_METRICS_PORT'],
    settings: (home) => ({ TEMPORAL_STATE: home }),
    pidFile: 'server.pid',
    unpacked: null,
  },
  kafka: {
    script: 'kafka',
    ports: ['KAFKA_PORT', 'KAFKA_CONTROLLER_PORT'],
    settings: (home) => ({ KAFKA_RUN: home }),
    pidFile: 'kafka.pid',
    unpacked: 'libs-',
  },
} satisfies Record<string, Kind>

/** Starts one by its script in the folder `scripts`, on free ports and a folder of its own. */
export async function startOwnEngine(scripts: string, kind: keyof typeof KINDS): Promise<OwnEngine> {
  const { script, ports, settings, pidFile, unpacked }: Kind = KINDS[kind]
  const home = await mkdtemp(join(tmpdir(), `medialog-${kind}-`))
  // Elasticsearch refuses to run as root, so a script that is started by root runs it as somebody else.
  await chmod(home, 0o755)
  if (unpacked) await share(script, unpacked, home)
  const taken = await Promise.all(ports.map(freePort))
  const env = {
    ...process.env,
    ...COMPILED_ONCE,
    ...settings(home),
    ...Object.fromEntries(ports.map((name, index) => [name, String(taken[index])])),
  }
  const pid = async (): Promise<number> => Number(await readFile(join(home, pidFile), 'utf8'))

  async function start(): Promise<void> {
    await run('bash', [join(scripts, script, 'up.sh')], { env })
  }

  async function kill(): Promise<void> {
    const victim = await pid()
    if (!isRunning(victim)) return
    process.kill(victim, 'SIGKILL')
    await vi.waitUntil(() => !isRunning(victim), LONG)
  }

  const forget = (): Promise<void> => rm(home, { recursive: true, force: true, maxRetries: 3 })

  await start().catch(async (error: unknown) => {
    // Why it did not start is what is to be told, not that there is nothing to kill.
    await kill().catch(() => undefined)
    await forget()
    throw error
  })
  return {
    address: `127.0.0.1:${taken[0]}`,
    kill,
    start,
    async remove() {
      await kill()
      await forget()
    },
  }
}

/** What was unpacked once is not fetched again: hundreds of megabytes. */
async function share(script: string, unpacked: string, home: string): Promise<void> {
  const { ENGINES_HOME } = process.env
  if (!ENGINES_HOME) return
  const from = join(ENGINES_HOME, script)
  const names = (await readdir(from)).filter((name) => name.startsWith(unpacked))
  await Promise.all(names.map((name) => symlink(join(from, name), join(home, name))))
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
