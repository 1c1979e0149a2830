import { Argument } from 'commander'
import type { Operation, StartOperationRequest } from '@medialog/client'
import type { Cli } from '../cli.ts'
import { EXIT } from '../client/errors.ts'
import { renderEmbeddings } from '../render/embeddings.ts'
import { renderOperation, renderOperations } from '../render/operations.ts'
import { renderProgress } from '../render/progress.ts'
import { examples, type Register } from './command.ts'
import { withProgress } from './with-progress.ts'

type ReadModel = Extract<StartOperationRequest, { kind: 'projections-rebuild' }>['name']
const READ_MODELS: readonly ReadModel[] = ['catalog', 'accounts', 'usage', 'work', 'batches', 'history']

/** `projections`, `log`, `embeddings` and `operations`: long work inside the server. */
export const registerOperations: Register = (program, run) => {
  const projections = program
    .command('projections')
    .description('read models made from the log (operator)')
    .addHelpText('after', examples('projections verify', 'projections rebuild catalog'))
  projections
    .command('rebuild')
    .description('make a read model anew from the log, compare, and put it into service')
    .addArgument(new Argument('<name>', 'which read model').choices(READ_MODELS))
    .addHelpText('after', examples('projections rebuild catalog'))
    .action(run((cli, name: ReadModel) => work(cli, { kind: 'projections-rebuild', name })))
  projections
    .command('verify')
    .description('make read models anew from the log and compare; exit code 1 when one differs')
    .addArgument(new Argument('[name]', 'which read model; all of them without it').choices(READ_MODELS))
    .addHelpText('after', examples('projections verify', 'projections verify catalog'))
    .action(
      run((cli, name: ReadModel | undefined) =>
        work(cli, { kind: 'projections-verify', ...(name && { name }) }),
      ),
    )

  const log = program
    .command('log')
    .description('the event log (operator)')
    .addHelpText('after', examples('log verify', 'log scavenge'))
  log
    .command('verify')
    .description(
      'recompute the hash chain of every event; exit code 1 when it breaks, with the first bad event',
    )
    .addHelpText('after', examples('log verify', 'log verify --json'))
    .action(run((cli) => work(cli, { kind: 'log-verify' })))
  log
    .command('scavenge')
    .description(
      'have what was erased taken out of the files of the log, for good; exit code 1 unless it is, everywhere',
    )
    .option('--stop', 'end what is under way instead')
    .addHelpText('after', examples('log scavenge', 'log scavenge --json', 'log scavenge --stop'))
    .action(
      run((cli, { stop }: { stop?: boolean }) =>
        work(cli, { kind: stop ? 'log-scavenge-stop' : 'log-scavenge' }),
      ),
    )

  const embeddings = program
    .command('embeddings')
    .description('vectors by the embedder that made them (operator)')
    .addHelpText('after', examples('embeddings status'))
  embeddings
    .command('status')
    .description('how many items have vectors of which embedder; exit code 1 when some are to be migrated')
    .addHelpText('after', examples('embeddings status', 'embeddings status --json'))
    .action(
      run(async (cli) => {
        const data = await cli.client().readEmbeddings()
        cli.show(data, renderEmbeddings)
        return data.pending_items > 0 ? EXIT.failed : EXIT.ok
      }),
    )
  embeddings
    .command('migrate')
    .description(
      'embed anew what has vectors of another embedder than the configured one; goes on where it ended',
    )
    .addHelpText('after', examples('embeddings migrate', 'embeddings migrate --json'))
    .action(run((cli) => work(cli, { kind: 'embeddings-migrate' })))

  const operations = program
    .command('operations')
    .description('long work inside the server (operator)')
    .addHelpText('after', examples('operations list'))
  operations
    .command('list')
    .description('what runs and what ran since the server started')
    .addHelpText('after', examples('operations list'))
    .action(
      run(async (cli) => {
        cli.show(await cli.client().listOperations(), ({ operations }, look) =>
          renderOperations(operations, look),
        )
      }),
    )
  operations
    .command('show')
    .description('one operation')
    .argument('<id>', 'from `operations list`')
    .option('--follow', 'until it has ended')
    .addHelpText('after', examples('operations show 0198c9…', 'operations show 0198c9… --follow'))
    .action(
      run(async (cli, id: string, { follow }: { follow?: boolean }) => {
        if (follow) return ended(cli, await watched(cli, id))
        return ended(cli, await cli.client().readOperation({ operation_id: id }))
      }),
    )
}

/** Starts long work, follows it, and shows what came of it: the exit code. */
export const work = async (cli: Cli, started: StartOperationRequest): Promise<number> =>
  ended(cli, await carriedOut(cli, started))

/** Starts long work and watches it until it has ended. */
export async function carriedOut(cli: Cli, started: StartOperationRequest): Promise<Operation> {
  return watched(cli, (await cli.client().startOperation(started)).operation_id)
}

const watched = (cli: Cli, id: string): Promise<Operation> =>
  withProgress(
    cli,
    `The server goes on with it: \`medialog operations show ${id} --follow\` watches it again.`,
    () =>
      cli.client().followOperation(id, {
        onChange: ({ progress }) =>
          cli.terminal.progress.show(() => renderProgress(progress, cli.terminal.errorLook)),
      }),
  )

function ended(cli: Cli, operation: Operation): number {
  cli.show(operation, renderOperation)
  const { status, kind, result } = operation
  const differs = kind === 'projections-verify' && result?.identical === false
  const broken = (kind === 'log-verify' || kind === 'audit-verify') && result?.intact === false
  const left = kind === 'embeddings-migrate' && result?.pending !== 0
  const kept = kind === 'log-scavenge' && result?.complete === false
  return status === 'failed' || differs || broken || left || kept ? EXIT.failed : EXIT.ok
}
