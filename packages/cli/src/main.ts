import { EXIT } from './client/errors.ts'
import { runCli } from './run.ts'

const stop = new AbortController()
const leave = new AbortController()
let isPipeBroken = false

function interrupt(): void {
  if (leave.signal.aborted) process.exit(EXIT.interrupted)
  if (stop.signal.aborted) leave.abort()
  stop.abort()
}
process.on('SIGINT', interrupt)
process.on('SIGTERM', interrupt)

// Whoever read the output has gone, as in `| head`: that is no error, and there is no reason to go on.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    isPipeBroken = true
    stop.abort()
  })

const exitCode = await runCli(process.argv.slice(2), process.env, {
  stop: stop.signal,
  leave: leave.signal,
})
process.exitCode = isPipeBroken && exitCode === EXIT.interrupted ? EXIT.brokenPipe : exitCode
