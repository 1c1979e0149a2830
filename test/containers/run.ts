import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { startEngines } from './engines.ts'

/** `npm run with-containers -- npm test`: a command with every engine in a container, which are gone after it. */
async function main([command, ...args]: string[]): Promise<number> {
  if (command === undefined) throw new Error('name a command: npm run with-containers -- npm test')
  const engines = await startEngines()
  try {
    return await run(command, args, engines.addresses)
  } finally {
    engines.stop()
  }
}

/** Resolves with its exit code. A signal to this process is one to the command: what it ends with says the rest. */
function run(command: string, args: string[], addresses: Record<string, string>): Promise<number> {
  const child = spawn(command, args, { stdio: 'inherit', env: { ...process.env, ...addresses } })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal!]))
  })
}

main(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(`with-containers: ${error instanceof Error ? error.message : String(error)}`)
    process.exit(1)
  },
)
