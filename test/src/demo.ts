import { CliError, cliErrorOf, EXIT, openTerminal } from '@medialog/cli'
import { createClient } from '@medialog/client'
import { tour } from './demo/tour.ts'
import { startServer, temporaryDataFolder } from './harness/server.ts'

/**
 * `npm run demo`: a throw-away server, real files through it, and what came out. Whatever happens, the server is
 * stopped and its folder removed.
 */
async function demo(stop: AbortSignal): Promise<void> {
  const terminal = openTerminal({ environment: process.env })
  const { look } = terminal
  const startedAt = Date.now()
  const folder = await temporaryDataFolder()
  try {
    terminal.print(look.dim('Starting a throw-away server …'))
    await using server = await runningServer(folder.path)
    const { url, apiKey, operatorToken } = server
    terminal.print(`It is ready at ${look.accent(url)}, with an account, a key and ten dollars.`)
    const client = createClient({ url, apiKey: apiKey!, operatorToken, signal: stop })
    try {
      await tour(client, terminal, stop)
    } finally {
      client.close()
    }
  } finally {
    await folder.remove()
  }
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(0)
  terminal.print([
    '',
    look.dim(
      `${seconds} s in all; the server is stopped and its folder removed. Start your own with \`npm start\`.`,
    ),
  ])
}

async function runningServer(dataFolder: string) {
  const server = await startServer({ dataFolder })
  return {
    ...server,
    async [Symbol.asyncDispose]() {
      const code = await server.stop()
      if (code) throw new Error(`The server ended with ${code}: ${server.errors()}`)
    },
  }
}

const interrupted = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => interrupted.abort())
// Whoever read the output has gone, as in `| head`: the server must go too.
process.stdout.on('error', () => interrupted.abort())
try {
  await demo(interrupted.signal)
} catch (thrown) {
  const error = cliErrorOf(thrown)
  const isInterrupted = interrupted.signal.aborted
  process.stderr.write(isInterrupted ? 'Interrupted.\n' : `The demo failed: ${(error as Error).message}\n`)
  process.exitCode = isInterrupted
    ? EXIT.interrupted
    : error instanceof CliError
      ? error.exitCode
      : EXIT.failed
}
