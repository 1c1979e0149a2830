import { Command, Option } from 'commander'
import { describeRelease, RELEASE } from '@medialog/server/release'
import { registerAccounts } from './commands/accounts.ts'
import { registerAsk } from './commands/ask.ts'
import { registerAudit } from './commands/audit.ts'
import { registerBackup } from './commands/backup.ts'
import { registerBatch } from './commands/batch.ts'
import { registerCollections } from './commands/collections.ts'
import { examples, wholeNumber, type Register, type Run } from './commands/command.ts'
import { registerCredits } from './commands/credits.ts'
import { registerDelete } from './commands/delete.ts'
import { registerEvents } from './commands/events.ts'
import { registerHistory } from './commands/history.ts'
import { registerKeys } from './commands/keys.ts'
import { registerErasureAudit } from './commands/audit-erasure.ts'
import { registerLogAudit } from './commands/log-audit.ts'
import { registerMcp } from './commands/mcp.ts'
import { registerMedia } from './commands/media.ts'
import { registerOperations } from './commands/operations.ts'
import { registerProfile } from './commands/profile.ts'
import { registerReceipt } from './commands/receipts.ts'
import { registerSearch } from './commands/search.ts'
import { registerServe } from './commands/serve.ts'
import { registerSimilar } from './commands/similar.ts'
import { registerStatus } from './commands/status.ts'
import { registerUpload } from './commands/upload.ts'
import { registerUsage } from './commands/usage.ts'
import { registerWebhooks } from './commands/webhooks.ts'

/** In the order of the help. */
const COMMANDS: Register[] = [
  registerUpload,
  registerBatch,
  registerMedia,
  registerSearch,
  registerSimilar,
  registerAsk,
  registerDelete,
  registerCollections,
  registerUsage,
  registerHistory,
  registerAudit,
  registerEvents,
  registerMcp,
  registerWebhooks,
  registerStatus,
  registerAccounts,
  registerKeys,
  registerCredits,
  registerOperations,
  registerLogAudit,
  registerBackup,
  registerReceipt,
  registerErasureAudit,
  registerProfile,
  registerServe,
]

const EXIT_CODES = `

Exit codes:
  0  done
  1  the request was refused, or something failed
  2  wrong usage
  3  no server answers
  4  not authorised: the key or token is missing, wrong, or may not do this
  130  interrupted
  141  the reader of the output went away before the work was done`

export interface ProgramOptions {
  run: Run
  hasColours: boolean
}

/** The whole command line. Errors of usage are thrown as CommanderError, and printed by whoever catches them. */
export function makeProgram({ run, hasColours }: ProgramOptions): Command {
  const program = new Command('medialog')
    .description('A media memory that can be audited: upload, search, and see what it cost.')
    .version(describeRelease(RELEASE), '-V, --version', 'print the version and the commit')
    .addOption(new Option('--url <url>', 'address of the server (MEDIALOG_URL)'))
    .addOption(new Option('--key <key>', 'API key (MEDIALOG_API_KEY)'))
    .addOption(new Option('--operator-token <token>', "the operator's secret (MEDIALOG_OPERATOR_TOKEN)"))
    .addOption(new Option('--profile <name>', 'settings kept under a name'))
    .addOption(new Option('--data-dir <folder>', 'data folder of a local server (MEDIALOG_DATA_DIR, ./data)'))
    .addOption(
      new Option('--timeout <seconds>', 'how long to wait for an answer').argParser(wholeNumber(1, 86_400)),
    )
    .addOption(new Option('--json', 'print one JSON document; errors too, on standard error'))
    .addOption(new Option('--no-color', 'no colours (NO_COLOR)'))
    .addHelpText(
      'after',
      examples('upload report.pdf', 'search how whales sleep', 'usage --detailed', 'help upload') +
        EXIT_CODES,
    )
    .exitOverride()
    .configureOutput({
      outputError: () => {},
      getOutHasColors: () => hasColours,
      getErrHasColors: () => hasColours,
    })
    .configureHelp({ showGlobalOptions: true })
  for (const register of COMMANDS) register(program, run)
  return program
}
