import { textOf, type LedgerProofHead } from '@medialog/client'
import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { UsageError } from '../client/errors.ts'
import {
  renderCheckpoint,
  renderCheckpointKey,
  renderConsistency,
  renderEventProofs,
  renderLedgerProof,
} from '../render/checkpoints.ts'
import { accountIdOf } from './accounts.ts'
import { auditCommand } from './audit-command.ts'
import { examples, type Register } from './command.ts'
import { asDocument, readText, writeOut } from './documents.ts'
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
    .description('prove a whole ledger, an event, or every event of an item: to check without the service')
    .argument('[event|item]', 'a position, a revision like media-0b0e…@3, or the id of an item')
    .option('--account <account>', "that account's ledger, its id or name (operator); else that of the key")
    .option(
      '--since <file>',
      'a checkpoint, or a proof of the ledger, from before: proves that it was continued',
    )
    .addHelpText(
      'after',
      examples(
        'audit prove --out ledger.ndjson',
        'audit prove --since september.ndjson --out october.ndjson',
        'audit prove doc_0b0e… --out proofs.json',
        'audit prove 12345 --json',
      ),
    )
    .action(
      run(async (cli, subject: string | undefined, options: ProveOptions) =>
        subject === undefined ? proveLedger(cli, options) : proveEvents(cli, subject, options),
      ),
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

interface ProveOptions {
  out?: string
  account?: string
  since?: string
}

/** The operator proves any event, an account its own. */
async function proveEvents(cli: Cli, subject: string, { out, account, since }: ProveOptions): Promise<void> {
  if (account !== undefined || since !== undefined)
    throw new UsageError('--account and --since are for a whole ledger.', 'Leave the event out.')
  const client = cli.client()
  const data = await (cli.settings().operatorToken === null
    ? client.readOwnEventProofs({ subject })
    : client.readEventProofs({ subject }))
  writeOut(out, asDocument(data))
  cli.show(data, renderEventProofs)
}

/** As lines of JSON, whatever else is asked for: that is what verifiers take. */
async function proveLedger(cli: Cli, { out, account, since: file }: ProveOptions): Promise<void> {
  const client = cli.client()
  const since = file === undefined ? undefined : sizeIn(keptCheckpoint(readText(file)), file)
  const reply =
    account === undefined
      ? await client.open('readLedgerProof', { since })
      : await client.open('readAccountLedgerProof', {
          account_id: await accountIdOf(client, account),
          since,
        })
  const text = await textOf(reply)
  if (out === undefined) return cli.terminal.write(text)
  writeOut(out, text)
  const { account_id, events, checkpoint, key } = ledgerIn(text)!
  cli.show({ account_id, events, size: sizeIn(checkpoint, out), key, file: out }, renderLedgerProof)
}

/** The note itself, or that of a ledger's proof. */
const keptCheckpoint = (text: string): string =>
  text.startsWith('{') ? (ledgerIn(text)?.checkpoint ?? '') : text

/** The first line of a ledger's proof, if it is one. */
function ledgerIn(text: string): LedgerProofHead | undefined {
  try {
    return (JSON.parse(text.split('\n')[0]!) as { ledger?: LedgerProofHead }).ledger
  } catch {
    return undefined
  }
}

const out = (command: Command): Command =>
  command.option('--out <file>', 'write it there, for verify-checkpoint.mjs')

/** The second line of a checkpoint. */
function sizeIn(note: string, file: string): number {
  const size = note.split('\n')[1]
  if (size !== undefined && /^\d{1,15}$/.test(size)) return Number(size)
  throw new UsageError(`${file} is no checkpoint.`)
}
