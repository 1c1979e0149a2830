import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { freePort } from '../src/harness/free-port.ts'

export interface Engines {
  /** What the suites take, by the variable that they read it from. */
  addresses: Record<string, string>
  /** Takes the containers away, and what they kept. */
  stop(): void
}

const pathOf = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))
const FILES = [pathOf('../../infra/compose.yaml'), pathOf('./compose.yaml')]
/** How long images may take to arrive and engines to start. */
const PATIENCE_SECONDS = 900

/** The engines of infra/compose.yaml in containers of their own. @throws Error that says what to do */
export async function startEngines(): Promise<Engines> {
  requireDocker()
  const secrets = madeUp()
  const kafkaPort = await freePort()
  const environment = { ...process.env, ...secrets, KAFKA_TEST_PORT: String(kafkaPort) }
  const project = `medialog-test-${process.pid}`
  const compose = (...args: string[]): string => {
    const files = FILES.flatMap((file) => ['--file', file])
    const { status, stdout } = spawnSync(
      'docker',
      ['compose', '--project-name', project, ...files, ...args],
      {
        env: environment,
        stdio: ['ignore', 'pipe', 'inherit'],
        encoding: 'utf8',
      },
    )
    if (status !== 0) throw new Error(`docker compose ${args[0]} failed: what it said stands above`)
    return stdout.trim()
  }
  const stop = (): void => void compose('down', '--volumes', '--timeout', '5')
  try {
    const patience = ['--wait-timeout', String(PATIENCE_SECONDS)]
    const services = ['eventstoredb', 'elasticsearch', 'temporal', 'kafka', 's3', 'valkey']
    compose('up', '--detach', '--wait', ...patience, ...services)
    compose('run', '--rm', '--no-deps', 'temporal-namespace')
    const at = (service: string, port: number): string => compose('port', service, String(port))
    const addresses = {
      EVENTSTOREDB_URL: `esdb://${at('eventstoredb', 2113)}?tls=false`,
      ELASTICSEARCH_URL: `http://${at('elasticsearch', 9200)}`,
      TEMPORAL_ADDRESS: at('temporal', 7233),
      KAFKA_BROKERS: `127.0.0.1:${kafkaPort}`,
      S3_URL: `http://${at('s3', 7070)}`,
      S3_REGION: 'eu-central-1',
      S3_ACCESS_KEY_ID: secrets['S3_ACCESS_KEY_ID']!,
      S3_SECRET_ACCESS_KEY: secrets['S3_SECRET_ACCESS_KEY']!,
      REDIS_URL: `redis://${at('valkey', 6379)}`,
    }
    return { addresses, stop }
  } catch (error) {
    stop()
    throw error
  }
}

function requireDocker(): void {
  const asked = (...args: string[]) => spawnSync('docker', args, { encoding: 'utf8' })
  if (asked('compose', 'version').status !== 0)
    throw new Error(
      'there is no Docker with Compose on this machine. Install it, or name engines by their addresses: test/README.md.',
    )
  const { status, stderr } = asked('info')
  if (status !== 0) throw new Error(`Docker does not answer: ${stderr.trim()}`)
}

/** A secret for each that infra/env.example leaves open. */
function madeUp(): Record<string, string> {
  const example = readFileSync(pathOf('../../infra/env.example'), 'utf8')
  const names = Array.from(example.matchAll(/^([A-Z]\w+)=$/gm), ([, name]) => name!)
  return Object.fromEntries(names.map((name) => [name, randomBytes(16).toString('hex')]))
}
