import { createClient, type Client } from '@medialog/client'
import { parseUrl, readSettings, type Flags, type Settings } from './settings/settings.ts'
import type { Look } from './terminal/look.ts'
import { openTerminal, type Terminal } from './terminal/terminal.ts'

export interface GlobalOptions extends Flags {
  json?: boolean
  /** False after `--no-color`. */
  color?: boolean
  /** Seconds. */
  timeout?: number
}

/** The first Ctrl-C asks to stop, the second to leave at once. */
export interface Interrupts {
  stop: AbortSignal
  leave: AbortSignal
}

/** What a command works with. */
export interface Cli {
  readonly terminal: Terminal
  readonly asJson: boolean
  readonly interrupts: Interrupts
  readonly environment: NodeJS.ProcessEnv
  readonly flags: GlobalOptions
  /** Made when they are first asked for: profiles are kept without any. @throws UsageError */
  settings(): Settings
  client(): Client
  /** Prints a result: for people, or with `--json` as one document. */
  show<Data>(data: Data, render: (data: Data, look: Look) => string[]): void
  close(): void
}

/** A person at a terminal prefers an error to a long wait. */
const ATTEMPTS = 3

export function openCli(flags: GlobalOptions, environment: NodeJS.ProcessEnv, interrupts: Interrupts): Cli {
  const terminal = openTerminal({ environment, colours: flags.color })
  const asJson = flags.json === true
  let settings: Settings | undefined
  let client: Client | undefined
  const cli: Cli = {
    terminal,
    asJson,
    interrupts,
    environment,
    flags: { ...flags, ...(flags.url !== undefined && { url: parseUrl(flags.url) }) },
    settings: () => (settings ??= readSettings(cli.flags, environment)),
    client() {
      const { url, apiKey, operatorToken } = cli.settings()
      const { timeout } = flags
      return (client ??= createClient({
        url,
        ...(apiKey !== null && { apiKey }),
        ...(operatorToken !== null && { operatorToken }),
        ...(timeout !== undefined && { timeoutMs: timeout * 1000 }),
        attempts: ATTEMPTS,
        signal: interrupts.stop,
        userAgent: 'medialog-cli',
      }))
    },
    show: (data, render) =>
      terminal.print(asJson ? JSON.stringify(data, null, 2) : render(data, terminal.look)),
    close() {
      terminal.progress.clear()
      client?.close()
    },
  }
  return cli
}
