import { readFile, writeFile } from 'node:fs/promises'
import { textOf, type Posting, type StartOperationRequest } from '@medialog/client'
import type { LedgerReport } from '../client/answers.ts'
import type { Cli } from '../cli.ts'
import { CliError, EXIT, UsageError } from '../client/errors.ts'
import { jsonLines } from '../client/json-lines.ts'
import { renderReplay, renderReprice, renderUsageDiff } from '../render/audit.ts'
import { clean } from '../terminal/text.ts'
import { accountIdOf } from './accounts.ts'
import { auditCommand } from './audit-command.ts'
import { choice, examples, isoTime, month, type Register } from './command.ts'
import { carriedOut } from './operations.ts'

interface Range {
  from?: string
  until?: string
  month?: string
  asOf?: string
}

interface StatementOptions {
  month?: string
  format?: 'json' | 'csv' | 'html'
  output?: string
}

const FORMATS = ['json', 'csv', 'html']
type Reprice = Extract<StartOperationRequest, { kind: 'audit-reprice' }>

/** `audit`: billing history from the events themselves. */
export const registerAudit: Register = (program, run) => {
  const audit = auditCommand(program).addHelpText(
    'after',
    examples('audit replay', 'audit statement --month 2026-11 --format html', 'audit verify'),
  )

  audit
    .command('replay')
    .description('every posting with its cause, and the proof; exit code 1 when a line of it does not hold')
    .argument('[account]', 'its id or name (operator); without it, that of the key')
    .option('--from <time>', 'show postings since', isoTime)
    .option('--until <time>', 'the history before then', isoTime)
    .option('--month <month>', 'the postings of a month, like 2026-11', month)
    .option('--as-of <time>', 'the history as it was then', isoTime)
    .addHelpText(
      'after',
      examples('audit replay', 'audit replay dev --month 2026-11', 'audit replay dev --until 2026-11-20'),
    )
    .action(
      run(async (cli, account: string | undefined, range: Range) => {
        const replayed = await replay(cli, account, range)
        cli.show(replayed, renderReplay)
        return replayed.proof.holds ? EXIT.ok : EXIT.failed
      }),
    )

  audit
    .command('statement')
    .description('the statement of a month')
    .argument('[account]', 'its id or name (operator); without it, that of the key')
    .option('--month <month>', 'which, like 2026-11 (default: the current one)', month)
    .addOption(choice('--format <format>', 'html is a page to print', FORMATS).default('json'))
    .option('-o, --output <file>', 'write it there')
    .addHelpText(
      'after',
      examples('audit statement --format html -o november.html', 'audit statement dev --format csv'),
    )
    .action(run(printStatement))

  audit
    .command('diff')
    .description('usage at two moments, and what came in between')
    .option('--from <time>', 'the earlier one (default: 7 days before the later)', isoTime)
    .option('--to <time>', 'the later one (default: now)', isoTime)
    .addHelpText('after', examples('audit diff --from 2026-11-01 --to 2026-12-01'))
    .action(
      run(async (cli, { from, to }: { from?: string; to?: string }) => {
        cli.show(await cli.client().readUsageDiff({ from, to }), renderUsageDiff)
      }),
    )

  audit
    .command('reprice')
    .description('what history would have cost under other prices (operator)')
    .argument('[account]', 'of one alone, its id or name')
    .requiredOption('--prices <file>', 'JSON: price key to USD; those not named stay as they are')
    .option('--from <time>', 'charges made since', isoTime)
    .option('--to <time>', 'and before', isoTime)
    .addHelpText('after', examples('audit reprice --prices next-year.json --from 2026-01-01'))
    .action(run(reprice))
}

async function replay(
  cli: Cli,
  account: string | undefined,
  { from, until, month, asOf }: Range,
): Promise<LedgerReport & { postings: Posting[] }> {
  const client = cli.client()
  const range = { from, until, month, as_of: asOf }
  const options = { accept: 'application/x-ndjson' }
  const reply =
    account === undefined
      ? await client.open('readLedger', range, options)
      : await client.open(
          'readAccountLedger',
          { account_id: await accountIdOf(client, account), ...range },
          options,
        )
  const postings: Posting[] = []
  type Line = { posting: Posting } | { report: LedgerReport }
  for await (const line of jsonLines<Line>(reply))
    if ('report' in line) return { ...line.report, postings }
    else postings.push(line.posting)
  throw new CliError('INCOMPLETE', 'The answer ended before the report: it proves nothing.', {
    hint: 'Try again; `medialog status` says how the server is.',
  })
}

async function printStatement(
  cli: Cli,
  account: string | undefined,
  { month, format, output }: StatementOptions,
): Promise<void> {
  const client = cli.client()
  const asked = { month, format }
  const reply =
    account === undefined
      ? await client.open('readStatement', asked)
      : await client.open('readAccountStatement', {
          account_id: await accountIdOf(client, account),
          ...asked,
        })
  const answered = await textOf(reply)
  const text =
    format === 'json'
      ? `${JSON.stringify((JSON.parse(answered) as { data: object }).data, null, 2)}\n`
      : answered
  if (output === undefined) return cli.terminal.write(text)
  await writeFile(output, text).catch((error: Error) => {
    throw new UsageError(`${clean(output)} cannot be written: ${error.message}.`)
  })
  cli.terminal.printError(`Written to ${clean(output)}.`)
}

async function reprice(
  cli: Cli,
  account: string | undefined,
  { prices: file, from, to }: { prices: string; from?: string; to?: string },
): Promise<number> {
  const prices = await readPrices(file)
  const account_id = account === undefined ? undefined : await accountIdOf(cli.client(), account)
  const operation = await carriedOut(cli, { kind: 'audit-reprice', prices, from, to, account_id })
  cli.show(operation, renderReprice)
  return operation.status === 'failed' ? EXIT.failed : EXIT.ok
}

/** What a file says: the server knows which prices there are. @throws UsageError */
async function readPrices(file: string): Promise<Reprice['prices']> {
  const problem = (reason: string) =>
    new UsageError(`${clean(file)} ${reason}`, 'It holds prices like {"DOCUMENT_PROCESSING": 0.02}, in USD.')
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw problem(error.code === 'ENOENT' ? 'is not there.' : `cannot be read: ${error.message}.`)
  })
  let prices: unknown
  try {
    prices = JSON.parse(text)
  } catch (error) {
    throw problem(`is not JSON: ${clean((error as Error).message)}.`)
  }
  if (typeof prices === 'object' && prices !== null && !Array.isArray(prices))
    return prices as Reprice['prices']
  throw problem('is no object of prices.')
}
