import { Unreachable, type Batch, type BatchResults, type MedialogError } from '@medialog/client'
import type { Command } from 'commander'
import { CliError, EXIT } from '../client/errors.ts'
import type { Cli } from '../cli.ts'
import {
  renderBatch,
  renderBatches,
  renderBatchProgress,
  renderCancelled,
  renderCreated,
  renderResults,
} from '../render/batches.ts'
import { renderProgress, SKIPPED } from '../render/uploads.ts'
import { seconds } from '../terminal/format.ts'
import type { Look } from '../terminal/look.ts'
import { clean } from '../terminal/text.ts'
import { planFiles, startedIn, type PlannedFile } from '../upload/plan.ts'
import { sendBatches, type SentBatches } from '../upload/send-batches.ts'
import { asCliError } from '../upload/sending.ts'
import { choice, examples, wholeNumber, type Register, type Run } from './command.ts'
import { STOPPING } from './upload.ts'
import { withProgress } from './with-progress.ts'

const STATUSES: readonly Batch['status'][] = ['created', 'running', 'completed', 'failed', 'cancelled']

/** `batch`: many files sent, processed and paid as one. */
export const registerBatch: Register = (program, run) => {
  const batch = program
    .command('batch')
    .description('many files as one: sent now, processed in the background')
    .addHelpText(
      'after',
      examples('batch create ~/papers --follow', 'batch list', 'batch results batch_0198…'),
    )
  registerCreate(batch, run)
  registerReading(batch, run)
  batch
    .command('cancel')
    .description('stop what is not done yet; it is refunded')
    .argument('<id>', 'batch_…')
    .addHelpText('after', examples('batch cancel batch_0198…'))
    .action(
      run(async (cli, id: string) => {
        cli.show(await cli.client().cancelBatch({ batch_id: id }), renderCancelled)
      }),
    )
}

interface CreateOptions {
  collection?: string
  overwrite?: boolean
  name?: string
  follow?: boolean
  attempts: number
}

function registerCreate(batch: Command, run: Run): void {
  batch
    .command('create')
    .description('send files, 25 and 100 MB at most in each batch; they are processed after that')
    .argument('<path...>', 'files, or folders with everything below that is not hidden')
    .option('-c, --collection <name>', 'where to put them (default: "default")')
    .option('--overwrite', 'process what is stored already again, at its price')
    .option('--name <name>', 'what to call the batch, or each of them')
    .option('-f, --follow', 'wait for it, then show the outcome of each file')
    .option('--attempts <number>', 'tries while the server is busy', wholeNumber(1, 100), 8)
    .addHelpText(
      'after',
      examples('batch create ~/papers --follow', 'batch create *.pdf --name "Autumn papers" --json'),
    )
    .action(run(create))
}

function registerReading(batch: Command, run: Run): void {
  batch
    .command('list')
    .description('all batches, newest first')
    .option('-p, --page <number>', 'which page', wholeNumber(1), 1)
    .option('-n, --page-size <number>', 'batches a page', wholeNumber(1, 100), 20)
    .addOption(choice('--status <status>', 'of one status only', STATUSES))
    .addHelpText('after', examples('batch list', 'batch list --status running'))
    .action(
      run(async (cli, { page, pageSize, status }: ListOptions) => {
        cli.show(await cli.client().listBatches({ page, page_size: pageSize, status }), renderBatches)
      }),
    )
  batch
    .command('show')
    .description('how far a batch is, and what it cost')
    .argument('<id>', 'batch_…')
    .option('-f, --follow', 'until it has ended')
    .addHelpText('after', examples('batch show batch_0198…', 'batch show batch_0198… --follow'))
    .action(
      run(async (cli, id: string, { follow }: { follow?: boolean }) => {
        cli.show(
          follow ? await watched(cli, id) : await cli.client().readBatch({ batch_id: id }),
          renderBatch,
        )
      }),
    )
  batch
    .command('results')
    .description('what became of each file that is done')
    .argument('<id>', 'batch_…')
    .addHelpText('after', examples('batch results batch_0198…', 'batch results batch_0198… --json'))
    .action(run(async (cli, id: string) => cli.show(await resultsOf(cli, id), renderResults)))
}

interface ListOptions {
  page: number
  pageSize: number
  status?: Batch['status']
}

const resultsOf = (cli: Cli, id: string): Promise<BatchResults> =>
  cli.client().readBatchResults({ batch_id: id })

async function create(cli: Cli, paths: string[], options: CreateOptions): Promise<number> {
  const files = await planFiles(paths, startedIn(cli.environment))
  if (files.length === 0)
    throw new CliError('NO_FILES', `There is nothing to send in ${paths.join(', ')}.`, {
      hint: 'Hidden files are skipped unless they are named.',
    })
  const sent: SentBatches = { batches: [], skipped: [] }
  const showSent = () => cli.show(sentDocument(sent), (_, look) => renderSent(sent, look))
  try {
    await send(cli, files, options, sent)
  } catch (error) {
    // The batches before the one that failed exist, and are paid for.
    if (sent.batches.length > 0) showSent()
    throw error
  }
  if (!options.follow) {
    showSent()
    return EXIT.ok
  }
  if (!cli.asJson) cli.terminal.print(renderSent(sent, cli.terminal.look))
  const ended: { batch: Batch; results: BatchResults }[] = []
  for (const { batch_id: id } of sent.batches)
    ended.push({ batch: await watched(cli, id), results: await resultsOf(cli, id) })
  cli.show({ ...sentDocument(sent), batches: ended }, (_, look) =>
    ended.flatMap(({ batch, results }) => [
      '',
      ...renderResults(results, look),
      '',
      ...renderBatch(batch, look),
    ]),
  )
  const isDone = ({ batch }: { batch: Batch }) => batch.progress.failed === 0 && batch.status !== 'cancelled'
  return ended.every(isDone) ? EXIT.ok : EXIT.failed
}

const sentDocument = ({ batches, skipped }: SentBatches) => ({
  batches,
  skipped_files: skipped.map(({ path }) => path),
})

const renderSent = ({ batches, skipped }: SentBatches, look: Look): string[] => [
  ...skipped.map(({ shown }) => `${look.warn('-')} ${clean(shown)}  ${look.dim(SKIPPED)}`),
  ...batches.flatMap((created) => renderCreated(created, look)),
]

/** Sends all files, with progress. `sent` lists the batches made so far, also when a later one is refused. */
async function send(
  cli: Cli,
  files: readonly PlannedFile[],
  { attempts, ...options }: CreateOptions,
  sent: SentBatches,
): Promise<void> {
  const { terminal, interrupts } = cli
  const total = files.reduce((sum, { size }) => sum + size, 0)
  const state = { files: { done: 0, total: files.length }, bytes: { done: 0, total }, current: 'sending' }
  const draw = () => terminal.progress.show(() => renderProgress(state, terminal.errorLook))
  const controls = {
    ...interrupts,
    attempts,
    onSent(bytes: number) {
      state.bytes.done += bytes
      state.current = state.bytes.done < total ? 'sending' : 'waiting for the answer'
      draw()
    },
    onWait(milliseconds: number, error: MedialogError) {
      state.current = `${error.code}, again in ${seconds(milliseconds)}`
      draw()
    },
  }
  try {
    await withProgress(cli, STOPPING, () => sendBatches(cli.client(), files, options, controls, sent))
  } catch (error) {
    throw asCliError(error)
  }
}

async function watched(cli: Cli, id: string): Promise<Batch> {
  const again = `\`medialog batch show ${id} --follow\` watches it again.`
  try {
    return await withProgress(cli, `The server goes on with it: ${again}`, () =>
      cli.client().followBatch(id, {
        onChange: (batch) =>
          cli.terminal.progress.show(() => renderBatchProgress(batch, cli.terminal.errorLook)),
      }),
    )
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error
    throw new CliError(error.code, error.message, {
      exitCode: EXIT.unreachable,
      hint: `Once it is there it goes on with the batch: ${again}`,
    })
  }
}
