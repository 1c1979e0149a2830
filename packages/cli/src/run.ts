import { CommanderError, type Command } from 'commander'
import { openCli, type Cli, type GlobalOptions, type Interrupts } from './cli.ts'
import { MedialogError, Unreachable } from '@medialog/client'
import { cliErrorOf, CliError, EXIT, UsageError } from './client/errors.ts'
import type { Action, Run } from './commands/command.ts'
import { makeProgram } from './program.ts'
import { failureDocument, renderFailure } from './render/failure.ts'
import { wantsColours } from './terminal/look.ts'
import { openTerminal } from './terminal/terminal.ts'

/** Runs one command line and resolves with its exit code; whatever goes wrong is printed, nothing is thrown. */
export async function runCli(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  interrupts: Interrupts,
): Promise<number> {
  // Needed before the options are read, for when they cannot be.
  const own = args.slice(0, args.includes('--') ? args.indexOf('--') : undefined)
  const colours = !own.includes('--no-color')
  let exitCode: number = EXIT.ok
  const run: Run =
    <Args extends unknown[]>(action: Action<Args>) =>
    async (...all: [...Args, Command]) => {
      const command = all.pop() as Command
      const cli = openCli(command.optsWithGlobals<GlobalOptions>(), environment, interrupts)
      try {
        exitCode = (await action(cli, ...(all as unknown as Args))) ?? EXIT.ok
      } catch (error) {
        if (error instanceof MedialogError && NEEDS_SECRET.has(error.code)) await findServer(cli)
        throw error
      } finally {
        cli.close()
      }
    }
  const program = makeProgram({ run, hasColours: colours && wantsColours(process.stdout, environment) })
  try {
    await program.parseAsync(args, { from: 'user' })
    return exitCode
  } catch (thrown) {
    const error = asCliError(thrown)
    if (error === null) return EXIT.ok
    const terminal = openTerminal({ environment, colours })
    if (own.includes('--json')) terminal.printError(JSON.stringify(failureDocument(error), null, 2))
    else terminal.printError(renderFailure(error, terminal.errorLook))
    return error.exitCode
  }
}

const NEEDS_SECRET: ReadonlySet<string> = new Set(['NO_API_KEY', 'NO_OPERATOR_TOKEN'])

/** Where there is no server, that is the news, rather than a missing secret. @throws Unreachable */
async function findServer(cli: Cli): Promise<void> {
  await cli
    .client()
    .healthz()
    .catch((error: unknown) => {
      if (error instanceof Unreachable) throw error
    })
}

/** Null where commander has printed what was asked for: help or version. */
function asCliError(error: unknown): CliError | null {
  const thrown = cliErrorOf(error)
  if (thrown instanceof CliError) return thrown
  if (thrown instanceof CommanderError) {
    if (thrown.exitCode === 0) return null
    // A command that needs a subcommand: its help was printed.
    if (thrown.code === 'commander.help')
      return new UsageError('Name a command.', 'The help above lists them.')
    return new UsageError(
      sentence(thrown.message.replace(/^error: /, '')),
      'See `medialog help`, or --help after a command.',
    )
  }
  const { message, stack } = thrown as Error
  return new CliError('INTERNAL', `This is a fault of the command line itself: ${message}`, {
    hint: process.env.MEDIALOG_DEBUG ? (stack ?? '') : 'MEDIALOG_DEBUG=1 shows where.',
  })
}

function sentence(text: string): string {
  const line = text.trim().replaceAll(/\s*\n\s*/g, ' ')
  const upper = line.charAt(0).toUpperCase() + line.slice(1)
  return /[.?!)]$/.test(upper) ? upper : `${upper}.`
}
