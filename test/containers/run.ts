import { spawn, type ChildProcess } from 'node:child_process'
import { constants } from 'node:os'
import { startEngines } from './engines.ts'

let command: ChildProcess | null = null
// A signal ends what is under way, the command or the start of engines, and never the taking away.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => command?.kill(signal))

/** `npm run with-containers -- npm test`: a command with every engine in a container, which are gone after it. */
async function main([name, ...args]: string[]): Promise<number> {
  if (name === undefined) throw new Error('name a command: npm run with-containers -- npm test')
  const engines = await startEngines()
  try {
    command = spawn(name, args, { stdio: 'inherit', env: { ...process.env, ...engines.addresses } })
    return await exitCode(command)
  } finally {
    engines.stop()
  }
}

const exitCode = (child: ChildProcess): Promise<number> =>
  new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal!]))
  })

main(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(`with-containers: ${error instanceof Error ? error.message : String(error)}`)
    process.exit(1)
  },
)
