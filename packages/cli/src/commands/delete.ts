import { counted } from '@medialog/kernel'
import type { DeletedBatch } from '../client/answers.ts'
import type { Cli } from '../cli.ts'
import { CliError, EXIT, UsageError } from '../client/errors.ts'
import { renderDeleted } from '../render/media.ts'
import { examples, type Register } from './command.ts'
import { receiptAsked, withReceipt, writeReceipt } from './receipts.ts'

const MOST_AT_ONCE = 100

interface Options {
  yes?: boolean
  reason?: string
  receipt?: string
}

export const registerDelete: Register = (program, run) => {
  withReceipt(program.command('delete'))
    .description('delete items for ever')
    .argument('<id...>', 'their ids')
    .option('-y, --yes', 'without asking')
    .option('--reason <text>', 'kept with the deletion')
    .addHelpText('after', examples('delete doc_0b0e…', 'delete doc_0b0e… img_1c1f… --yes'))
    .action(
      run(async (cli, ids: string[], { yes, reason, receipt }: Options) => {
        const client = cli.client()
        if (receipt !== undefined && ids.length > MOST_AT_ONCE)
          throw new UsageError(`One receipt is for at most ${MOST_AT_ONCE} items.`)
        if (!yes) await confirm(cli, `Delete ${counted(ids.length, 'item')} for ever?`)
        const all: DeletedBatch = {
          deleted: { count: 0, media_ids: [], hd_vectors: 0, ld_vectors: 0 },
          failed: { count: 0, media_ids: [], reasons: {} },
        }
        for (let start = 0; start < ids.length; start += MOST_AT_ONCE) {
          const media_ids = ids.slice(start, start + MOST_AT_ONCE)
          add(all, await client.deleteMediaBatch({ media_ids, reason, ...receiptAsked(receipt) }))
        }
        if (receipt !== undefined && all.erasure) all.erasure = await writeReceipt(cli, receipt, all.erasure)
        cli.show(all, renderDeleted)
        return all.failed.count > 0 ? EXIT.failed : EXIT.ok
      }),
    )
}

function add(all: DeletedBatch, { deleted, failed, erasure }: DeletedBatch): void {
  if (erasure) all.erasure = erasure
  all.deleted.count += deleted.count
  all.deleted.media_ids.push(...deleted.media_ids)
  all.deleted.hd_vectors += deleted.hd_vectors
  all.deleted.ld_vectors += deleted.ld_vectors
  all.failed.count += failed.count
  all.failed.media_ids.push(...failed.media_ids)
  Object.assign(all.failed.reasons, failed.reasons)
}

/** What cannot be undone is asked for, and where nobody can answer it must be said. @throws UsageError, CliError */
export async function confirm({ terminal }: Cli, question: string): Promise<void> {
  if (!terminal.isInteractive)
    throw new UsageError(
      'Deleting cannot be undone, and there is no terminal to ask at.',
      'Pass --yes to go on.',
    )
  const answer = await terminal.ask(`${question} [y/N] `)
  if (!/^y(es)?$/i.test(answer.trim())) throw new CliError('DECLINED', 'Nothing was deleted.')
}
