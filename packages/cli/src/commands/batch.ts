import { randomUUID } from 'node:crypto'
import type { Command } from 'commander'
import type { Batch, BatchCreation, BatchPage, BatchResults, CancelledBatch } from '../client/answers.ts'
import { batchPath, followBatch } from '../client/batches.ts'
import { CliError, EXIT, Unreachable } from '../client/errors.ts'
import { withRetry } from '../client/retry.ts'
import type { Cli } from '../cli.ts'
import {
  renderBatch,
  renderBatches,
  renderBatchProgress,
  renderCancelled,
  renderCreated,
  renderResults,
} from '../render/batches.ts'
import { renderProgress } from '../render/uploads.ts'
import { seconds } from '../terminal/format.ts'
import { planFiles, startedIn, type PlannedFile } from '../upload/plan.ts'
import { sendForm } from '../upload/send-form.ts'
import { asCliError } from '../upload/upload-file.ts'
import { choice, examples, wholeNumber, type Register, type Run } from './command.ts'
import { reading } from './media.ts'
import { STOPPING } from './upload.ts'
import { withProgress } from './with-progress.ts'

const STATUSES = ['created', 'running', 'completed', 'failed', 'cancelled']

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
        const { data } = await cli.client().call<CancelledBatch>('PUT', `${batchPath(id)}/state`)
        cli.show(data, renderCancelled)
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
    .description('send up to 25 files, 100 MB in all; they are processed after that')
    .argument('<path...>', 'files, or folders with everything below that is not hidden')
    .option('-c, --collection <name>', 'where to put them (default: "default")')
    .option('--overwrite', 'process what is stored already again, at its price')
    .option('--name <name>', 'what to call the batch')
    .option('-f, --follow', 'wait for it, then show what became of each file')
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
      run(async (cli, { page, pageSize, status }: { page: number; pageSize: number; status?: string }) => {
        const query = { page, page_size: pageSize, status }
        const { data } = await reading(cli, (client) =>
          client.call<BatchPage>('GET', '/v1/batches', { query }),
        )
        cli.show(data, renderBatches)
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
        const data = follow
          ? await watched(cli, id)
          : (await reading(cli, (client) => client.call<Batch>('GET', batchPath(id)))).data
        cli.show(data, renderBatch)
      }),
    )
  batch
    .command('results')
    .description('what became of each file that is done')
    .argument('<id>', 'batch_…')
    .addHelpText('after', examples('batch results batch_0198…', 'batch results batch_0198… --json'))
    .action(run(async (cli, id: string) => cli.show(await resultsOf(cli, id), renderResults)))
}

const resultsOf = async (cli: Cli, id: string): Promise<BatchResults> =>
  (await reading(cli, (client) => client.call<BatchResults>('GET', `${batchPath(id)}/results`))).data

async function create(cli: Cli, paths: string[], options: CreateOptions): Promise<number> {
  const files = await planFiles(paths, startedIn(cli.environment))
  if (files.length === 0)
    throw new CliError('NO_FILES', `There is nothing to send in ${paths.join(', ')}.`, {
      hint: 'Hidden files are skipped unless they are named.',
    })
  const created = await send(cli, files, options)
  if (!options.follow) {
    cli.show(created, renderCreated)
    return EXIT.ok
  }
  if (!cli.asJson) cli.terminal.print(renderCreated(created, cli.terminal.look))
  const batch = await watched(cli, created.batch_id)
  const results = await resultsOf(cli, created.batch_id)
  cli.show({ batch, results }, (ended, look) => [
    '',
    ...renderResults(ended.results, look),
    '',
    ...renderBatch(ended.batch, look),
  ])
  return batch.progress.failed > 0 || batch.status === 'cancelled' ? EXIT.failed : EXIT.ok
}

/** Sends all files under one Idempotency-Key, so that however often it is tried, they are one batch. */
async function send(cli: Cli, files: readonly PlannedFile[], options: CreateOptions): Promise<BatchCreation> {
  const { terminal, interrupts } = cli
  const client = cli.client()
  const total = files.reduce((sum, { size }) => sum + size, 0)
  const state = { files: { done: 0, total: files.length }, bytes: { done: 0, total }, current: 'sending' }
  const draw = () => terminal.progress.show(() => renderProgress(state, terminal.errorLook))
  const form = {
    path: '/v1/batches',
    fields: {
      collection_id: options.collection,
      force_overwrite: options.overwrite ? 'true' : undefined,
      batch_options: options.name === undefined ? undefined : JSON.stringify({ batch_name: options.name }),
    },
    files,
    idempotencyKey: randomUUID(),
  }
  const onSent = (bytes: number) => {
    state.bytes.done += bytes
    state.current = state.bytes.done < total ? 'sending' : 'waiting for the answer'
    draw()
  }
  const sending = () =>
    withRetry(() => sendForm<BatchCreation>(client, form, { ...interrupts, onSent }), {
      attempts: options.attempts,
      signal: interrupts.stop,
      onWait(milliseconds, error) {
        state.current = `${error.code}, again in ${seconds(milliseconds)}`
        draw()
      },
    })
  try {
    return await withProgress(cli, STOPPING, sending)
  } catch (error) {
    throw asCliError(error)
  }
}

async function watched(cli: Cli, id: string): Promise<Batch> {
  const again = `\`medialog batch show ${id} --follow\` watches it again.`
  try {
    return await withProgress(cli, `The server goes on with it: ${again}`, () =>
      followBatch(cli.client(), id, cli.interrupts.stop, (batch) =>
        cli.terminal.progress.show(() => renderBatchProgress(batch, cli.terminal.errorLook)),
      ),
    )
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error
    throw new Unreachable(error.reason, error.message, `Once it is there it goes on with the batch: ${again}`)
  }
}
