import { existsSync, readFileSync } from 'node:fs'
import { InvalidNote } from '@medialog/contract/signed-note'
import { counted } from '@medialog/kernel'
import type { Operation } from '@medialog/client'
import type { Cli } from '../cli.ts'
import { EXIT, UsageError } from '../client/errors.ts'
import {
  keysOfFolder,
  openReceipt,
  receiptFileIn,
  type Receipt,
  type ReceiptFile,
} from '../erasure/receipt.ts'
import { piecesOf } from '../erasure/pieces.ts'
import type { ErasureAudit } from '../erasure/erasure-audit.ts'
import { scanFolder, type Trace } from '../erasure/scan-folder.ts'
import { renderErasureAudit, renderScanProgress } from '../render/erasure.ts'
import { auditCommand } from './audit-command.ts'
import { examples, type Register } from './command.ts'
import { readText } from './documents.ts'
import { carriedOut } from './operations.ts'
import { withProgress } from './with-progress.ts'

interface Options {
  offline?: boolean
  publicKey?: string
  text?: string
  file?: string
}

/** `audit erasure`: that what a receipt names is in no store any more. */
export const registerErasureAudit: Register = (program, run) => {
  auditCommand(program)
    .command('erasure')
    .description('look for what a receipt says is gone; exit code 1 when something of it is found')
    .argument('<receipt>', 'the file that `delete --receipt` wrote')
    .option('--offline', 'the data folder alone, without its server')
    .option('--public-key <key>', 'that proves the receipt, or a file that holds it')
    .option('--text <text>', 'what the content said: looked for in every file of the data folder')
    .option('--file <file>', 'the same, from a file')
    .addHelpText(
      'after',
      examples(
        'audit erasure receipt.json',
        'audit erasure receipt.json --offline --data-dir ./data --file memo.txt',
      ),
    )
    .action(run(auditErasure))
}

async function auditErasure(cli: Cli, file: string, options: Options): Promise<number> {
  const document = receiptFileIn(readText(file), file)
  const folder = folderOf(cli, options)
  const audit: ErasureAudit = {
    erasure_id: '',
    intact: true,
    signature: 'good',
    found: 0,
    traces: [],
    folder: null,
    stores: null,
    not_recorded: null,
    not_scanned: [],
  }
  const receipt = await opened(cli, document, folder, options)
  if (receipt instanceof InvalidNote) {
    audit.signature = receipt.message
    audit.found = 1
  } else {
    audit.erasure_id = receipt.erasure_id
    if (options.offline) audit.not_scanned.push('engines outside the data folder: the server was not asked')
    else await askStores(cli, receipt, document.note, audit)
    if (folder === null) audit.not_scanned.push('files: the data folder is not on this machine')
    else await scan(cli, folder, receipt, options, audit)
  }
  audit.intact = audit.found === 0
  cli.show(audit, renderErasureAudit)
  return audit.intact ? EXIT.ok : EXIT.failed
}

/** Null where there is none on this machine. @throws UsageError where one is needed */
function folderOf(cli: Cli, { offline, text, file }: Options): string | null {
  const { dataFolder } = cli.settings()
  if (existsSync(dataFolder)) return dataFolder
  if (offline || text !== undefined || file !== undefined)
    throw new UsageError(`There is no data folder ${dataFolder}.`, 'Name it with --data-dir.')
  return null
}

async function opened(
  cli: Cli,
  document: ReceiptFile,
  folder: string | null,
  { offline, publicKey }: Options,
): Promise<Receipt | InvalidNote> {
  try {
    return openReceipt(document, await keys())
  } catch (error) {
    if (error instanceof InvalidNote) return error
    throw error
  }

  async function keys(): Promise<string[]> {
    if (publicKey !== undefined)
      return [existsSync(publicKey) ? readFileSync(publicKey, 'utf8').trim() : publicKey]
    if (offline) {
      const own = keysOfFolder(folder!, document.note)
      if (own.length > 0) return own
      throw new UsageError(
        'The data folder holds no key to prove the receipt with.',
        'Give it with --public-key.',
      )
    }
    const { key, former_keys: former } = await cli.client().readCheckpointKey()
    return [key, ...former]
  }
}

/** What a server takes: a note of some hundred items. */
const MOST_NOTE = 200_000

async function askStores(
  cli: Cli,
  { erasure_id, event, erased_at: erasedAt }: Receipt,
  note: string,
  audit: ErasureAudit,
): Promise<void> {
  const { status, result, error } = await carriedOut(cli, {
    kind: 'audit-erasure',
    erasure_id,
    ...(note.length <= MOST_NOTE && { receipt: note }),
  })
  const add = (trace: Trace): void => {
    audit.found++
    audit.traces.push(trace)
  }
  if (status === 'failed')
    return add({ store: 'log', place: event.stream, what: error ?? 'the server cannot tell' })
  const said = result as NonNullable<Operation['result']> & {
    event_hash: string | null
    /** Left out by releases up to 0.1: it always is. */
    recorded?: boolean
    traces: Trace[]
    found: number
    log_retains: number
    being_wiped: string[]
    stores: { store: string; how: string }[]
  }
  if (said.recorded === false)
    audit.not_recorded = `the log ends before this erasure (${erasedAt}): it was restored from an earlier state; what the receipt names was looked for in every store`
  else if (said.event_hash !== event.hash)
    add({ store: 'log', place: event.stream, what: 'it is not the event that the receipt names' })
  audit.found += said.found
  audit.traces.push(...said.traces)
  audit.stores = said.stores
  if (said.log_retains > 0)
    audit.not_scanned.push(
      `the log: ${counted(said.log_retains, 'erased event')} of its items are in the files of its server until \`medialog log scavenge\` took them out, and reads of all streams return them`,
    )
  for (const name of said.being_wiped)
    audit.not_scanned.push(`the read model ${name} is being wiped right now: look again in a moment`)
}

async function scan(
  cli: Cli,
  folder: string,
  receipt: Receipt,
  { text, file }: Options,
  audit: ErasureAudit,
): Promise<void> {
  const pieces = [
    ...(text === undefined ? [] : piecesOf(Buffer.from(text))),
    ...(file === undefined ? [] : piecesOf(readBytes(file))),
  ]
  const { terminal, interrupts } = cli
  audit.folder = await withProgress(cli, 'Nothing was changed.', () =>
    scanFolder(
      folder,
      receipt,
      pieces,
      (done) => terminal.progress.show(() => renderScanProgress(done, terminal.errorLook)),
      interrupts.stop,
    ),
  )
  audit.found += audit.folder.traces.length
  audit.traces.push(...audit.folder.traces)
}

/** @throws UsageError */
function readBytes(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}`)
  }
}
