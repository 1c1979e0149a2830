import { CliError, EXIT } from '../client/errors.ts'
import type { Cli } from '../cli.ts'
import {
  renderOutcome,
  renderProgress,
  renderSummary,
  summarize,
  type UploadState,
} from '../render/uploads.ts'
import { seconds } from '../terminal/format.ts'
import { planFiles, startedIn, type PlannedFile } from '../upload/plan.ts'
import type { Outcome } from '../upload/upload-file.ts'
import { uploadFiles, type UploadObserver } from '../upload/upload-files.ts'
import { examples, wholeNumber, type Register } from './command.ts'

interface UploadCommandOptions {
  collection?: string
  overwrite?: boolean
  concurrency: number
  attempts: number
}

export const registerUpload: Register = (program, run) => {
  program
    .command('upload')
    .description('upload files and whole folders')
    .argument('<path...>', 'files, or folders with everything below that is not hidden')
    .option('-c, --collection <name>', 'where to put them (default: "default")')
    .option('--overwrite', 'process what is stored already again, at its price')
    .option('--concurrency <number>', 'files at a time', wholeNumber(1, 64), 4)
    .option('--attempts <number>', 'tries for each file while the server is busy', wholeNumber(1, 100), 8)
    .addHelpText(
      'after',
      examples('upload report.pdf', 'upload ~/papers --collection papers', 'upload . --concurrency 8 --json'),
    )
    .action(run(upload))
}

async function upload(cli: Cli, paths: string[], options: UploadCommandOptions): Promise<number> {
  const client = cli.client()
  const files = await planFiles(paths, startedIn(cli.environment))
  if (files.length === 0)
    throw new CliError('NO_FILES', `There is nothing to upload in ${paths.join(', ')}.`, {
      hint: 'Hidden files are skipped unless they are named.',
    })
  const { stop } = cli.interrupts
  stop.addEventListener('abort', () => cli.terminal.printError(STOPPING), { once: true })
  const outcomes = await uploadFiles(
    client,
    files,
    {
      collection: options.collection,
      overwrite: options.overwrite === true,
      concurrency: options.concurrency,
      attempts: options.attempts,
      ...cli.interrupts,
    },
    watch(cli, files),
  )
  cli.terminal.progress.clear()
  return report(cli, outcomes)
}

export const STOPPING =
  'Stopping once the server has answered for what it received. Ctrl-C again leaves at once.'

/** Draws the progress line and prints each outcome above it. */
function watch(cli: Cli, files: readonly PlannedFile[]): UploadObserver {
  const { terminal, asJson } = cli
  const state: UploadState = {
    files: { done: 0, total: files.length },
    bytes: { done: 0, total: files.reduce((total, { size }) => total + size, 0) },
    current: '',
  }
  const draw = () => terminal.progress.show(() => renderProgress(state, terminal.errorLook))
  return {
    started({ shown }) {
      state.current = shown
      draw()
    },
    sent(_, bytes) {
      state.bytes.done += bytes
      draw()
    },
    waiting({ shown }, milliseconds, error) {
      state.current = `${shown}: ${error.code}, again in ${seconds(milliseconds)}`
      draw()
    },
    ended(outcome) {
      state.files.done++
      // What was refused counts as done too: the line shows what is left.
      if (outcome.kind !== 'stored') state.bytes.done += outcome.file.size
      if (!asJson) terminal.print(renderOutcome(outcome, terminal.look))
      draw()
    },
  }
}

function report(cli: Cli, outcomes: readonly Outcome[]): number {
  const summary = summarize(outcomes)
  cli.show({ files: outcomes.map(outcomeDocument), summary }, (data, look) =>
    renderSummary(data.summary, look),
  )
  if (summary.not_uploaded > 0) return EXIT.interrupted
  if (summary.failed === 0) return EXIT.ok
  // When all failed for the same reason, the exit code names it.
  const codes = new Set(
    outcomes
      .filter(({ kind }) => kind !== 'skipped')
      .map((outcome) => ('error' in outcome ? outcome.error.exitCode : EXIT.ok)),
  )
  return codes.size === 1 ? [...codes][0]! : EXIT.failed
}

function outcomeDocument(outcome: Outcome): object {
  const { kind, file } = outcome
  return {
    path: file.path,
    outcome: kind,
    size_bytes: file.size,
    ...('answer' in outcome && {
      media_id: outcome.answer.media_id,
      cost: outcome.answer.balance_info.cost,
      result: outcome.answer,
    }),
    ...(outcome.kind === 'duplicate' && { media_id: outcome.existing?.mediaId ?? null }),
    ...('error' in outcome && { error: { code: outcome.error.code, message: outcome.error.message } }),
  }
}
