import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import type { Erasure } from '../client/answers.ts'
import type { Cli } from '../cli.ts'
import { Interrupted } from '../client/errors.ts'
import { renderErasure } from '../render/erasure.ts'
import { auditCommand } from './audit-command.ts'
import { examples, type Register } from './command.ts'
import { asDocument, writeOut } from './documents.ts'

const LOOK_AGAIN_MS = 500

/** For commands that delete. */
export const withReceipt = (command: Command): Command =>
  command.option('--receipt <file>', 'wait until its bytes are erased, and write a signed receipt there')

/** What a deletion is asked with, where its receipt is wanted. */
export const receiptAsked = (file: string | undefined): { receipt?: true } =>
  file === undefined ? {} : { receipt: true }

/** `audit receipt`: a receipt that was not waited for, or is needed once more. */
export const registerReceipt: Register = (program, run) => {
  auditCommand(program)
    .command('receipt')
    .description('the receipt of an erasure, once nothing of it is left')
    .argument('<erasure>', 'its id')
    .option('--operator', "any account's, a closed one's too")
    .option('--out <file>', 'write it there, for `audit erasure` and verify-checkpoint.mjs')
    .addHelpText('after', examples('audit receipt erasure_0b0e… --out receipt.json'))
    .action(
      run(async (cli, id: string, { operator, out }: { operator?: boolean; out?: string }) => {
        const erasure = await erased(cli, id, operator ? 'operator' : 'account')
        writeOut(out, asDocument(erasure))
        cli.show(erasure, renderErasure)
      }),
    )
}

/** Waits for an erasure to be done. @throws Interrupted */
export async function erased(cli: Cli, id: string, as: 'account' | 'operator'): Promise<Erasure> {
  const client = cli.client()
  const input = { erasure_id: id }
  for (;;) {
    const data = await (as === 'operator' ? client.readAnyErasure(input) : client.readErasure(input))
    if (data.status === 'erased') return data
    cli.terminal.progress.show(() => 'its bytes are being erased')
    await sleep(LOOK_AGAIN_MS, undefined, { signal: cli.interrupts.stop }).catch(() => {
      throw new Interrupted()
    })
  }
}

/** Writes the receipt of what was deleted, once it is there. */
export async function writeReceipt(
  cli: Cli,
  file: string,
  erasure: Erasure,
  as: 'account' | 'operator' = 'account',
): Promise<Erasure> {
  const done = erasure.status === 'erased' ? erasure : await erased(cli, erasure.erasure_id, as)
  cli.terminal.progress.clear()
  writeOut(file, asDocument(done))
  return done
}
