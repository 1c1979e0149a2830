import { readFileSync, writeFileSync } from 'node:fs'
import type { Command } from 'commander'
import { CliError, UsageError } from '../client/errors.ts'
import {
  renderCheckpoint,
  renderCheckpointKey,
  renderConsistency,
  renderEventProofs,
} from '../render/checkpoints.ts'
import { auditCommand } from './audit-command.ts'
import { examples, type Register } from './command.ts'
import { work } from './operations.ts'

/** `audit verify`, `checkpoint`, `prove`, `consistency` and `key`: that the log is what was recorded. */
export const registerLogAudit: Register = (program, run) => {
  const audit = auditCommand(program)

  audit
    .command('verify')
    .description(
      'hold the whole log against its tree and every signed checkpoint; exit code 1 when it differs',
    )
    .option('--checkpoint <file>', 'one that was exported: finds what was cut off behind it')
    .addHelpText('after', examples('audit verify', 'audit verify --checkpoint 2026-11.note --json'))
    .action(
      run((cli, { checkpoint }: { checkpoint?: string }) =>
        work(cli, {
          kind: 'audit-verify',
          ...(checkpoint !== undefined && { checkpoint: readText(checkpoint) }),
        }),
      ),
    )

  out(audit.command('checkpoint'))
    .description('sign what the log holds now')
    .addHelpText('after', examples('audit checkpoint', 'audit checkpoint --out 2026-11.note'))
    .action(
      run(async (cli, { out }: { out?: string }) => {
        const made = await cli.client().makeCheckpoint()
        writeOut(out, made.note)
        cli.show(made, renderCheckpoint)
      }),
    )

  out(audit.command('prove'))
    .description('prove that an event, or every event of an item, is in the log')
    .argument('<event|item>', 'a position, a revision like media-0b0e…@3, or the id of an item')
    .addHelpText('after', examples('audit prove doc_0b0e… --out proofs.json', 'audit prove 12345 --json'))
    .action(
      run(async (cli, subject: string, { out }: { out?: string }) => {
        const data = await cli.client().readEventProofs({ subject })
        writeOut(out, asDocument(data))
        cli.show(data, renderEventProofs)
      }),
    )

  out(audit.command('consistency'))
    .description('prove that an exported checkpoint is the beginning of a later one')
    .argument('<old>', 'the file of the earlier one')
    .argument('[new]', 'the file of the later one; one of now where it is left out')
    .addHelpText('after', examples('audit consistency 2026-10.note 2026-11.note --out proof.json'))
    .action(
      run(async (cli, oldFile: string, newFile: string | undefined, { out }: { out?: string }) => {
        const old = readText(oldFile)
        const later = newFile === undefined ? (await cli.client().makeCheckpoint()).note : readText(newFile)
        const range = { from: sizeIn(old, oldFile), to: sizeIn(later, newFile ?? 'the new one') }
        const data = await cli.client().readConsistencyProof(range)
        const proof = { ...data, old, new: later }
        writeOut(out, asDocument(proof))
        cli.show(proof, renderConsistency)
      }),
    )

  audit
    .command('key')
    .description('the public keys that prove checkpoints')
    .addHelpText('after', examples('audit key'))
    .action(
      run(async (cli) => {
        cli.show(await cli.client().readCheckpointKey(), renderCheckpointKey)
      }),
    )
}

const out = (command: Command): Command =>
  command.option('--out <file>', 'write it there, for verify-checkpoint.mjs')

/** As a file has it. */
export const asDocument = (data: unknown): string => `${JSON.stringify(data, null, 2)}\n`

/** @throws UsageError */
export function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}`)
  }
}

/** @throws CliError */
export function writeOut(file: string | undefined, text: string): void {
  if (file === undefined) return
  try {
    writeFileSync(file, text)
  } catch (error) {
    throw new CliError('NOT_WRITTEN', `${file} cannot be written: ${(error as Error).message}`)
  }
}

/** The second line of a checkpoint. */
function sizeIn(note: string, file: string): number {
  const size = note.split('\n')[1]
  if (size !== undefined && /^\d{1,15}$/.test(size)) return Number(size)
  throw new UsageError(`${file} is no checkpoint.`)
}
