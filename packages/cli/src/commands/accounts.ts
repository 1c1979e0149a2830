import { UUID_PATTERN } from '@medialog/kernel'
import { Argument } from 'commander'
import type { Account, Accounts, ClosedAccount } from '../client/answers.ts'
import type { Cli } from '../cli.ts'
import type { Client } from '../client/client.ts'
import { CliError } from '../client/errors.ts'
import { readBody } from '../client/transport.ts'
import { renderAccount, renderAccounts, renderClosedAccount } from '../render/accounts.ts'
import { dollars } from '../terminal/format.ts'
import { clean } from '../terminal/text.ts'
import { choice, examples, type Register } from './command.ts'
import { confirm } from './delete.ts'
import { positiveDollars } from './dollars.ts'
import { writeOut } from './log-audit.ts'
import { withReceipt, writeReceipt } from './receipts.ts'

const PAGE_SIZE = 100
export const TIERS = ['free', 'standard', 'enterprise']

export const registerAccounts: Register = (program, run) => {
  const accounts = program
    .command('accounts')
    .description('accounts of the service (operator)')
    .addHelpText('after', examples('accounts list', 'accounts create "Research" --credit 25'))

  accounts
    .command('list')
    .description('all accounts with their balance')
    .addHelpText('after', examples('accounts list', 'accounts list --json | jq ".accounts[].balance"'))
    .action(
      run(async (cli) => {
        cli.show({ accounts: await listAccounts(cli.client()) }, (data, look) =>
          renderAccounts(data.accounts, look),
        )
      }),
    )

  accounts
    .command('create')
    .description('open an account')
    .argument('<name>', 'what people call it')
    .addOption(choice('--tier <tier>', 'limits and quota', TIERS).default('standard'))
    .option('--credit <usd>', 'money to start with', positiveDollars)
    .addHelpText('after', examples('accounts create "Research" --tier enterprise --credit 25'))
    .action(
      run(async (cli, name: string, { tier, credit }: { tier: string; credit?: number }) => {
        const { data } = await cli
          .client()
          .call<Account>('POST', '/admin/accounts', { as: 'operator', json: { name, tier, credit } })
        cli.show(data, renderAccount)
      }),
    )

  accounts
    .command('show')
    .description('one account')
    .argument('<account>', 'its id or name')
    .addHelpText('after', examples('accounts show dev'))
    .action(
      run(async (cli, account: string) => {
        const { data } = await cli
          .client()
          .call<Account>('GET', await accountPath(cli.client(), account), { as: 'operator' })
        cli.show(data, renderAccount)
      }),
    )

  for (const [name, state, description] of STATES)
    accounts
      .command(name)
      .description(description)
      .argument('<account>', 'its id or name')
      .addHelpText('after', examples(`accounts ${name} dev`))
      .action(
        run((cli, account: string) => change(cli.client(), account, 'state', { state }).then(shown(cli))),
      )

  withReceipt(accounts.command('close'))
    .description('close an account for ever and erase all of it but its ledger')
    .argument('<account>', 'its id or name')
    .option('-y, --yes', 'without asking')
    .option(
      '--statement <file>',
      'write the last statement there first: JSON, or a table where it ends in .csv',
    )
    .addHelpText(
      'after',
      examples('accounts close dev', 'accounts close dev --yes --statement last.csv --receipt closed.json'),
    )
    .action(run(closeAccount))

  accounts
    .command('tier')
    .description('change limits and quota')
    .argument('<account>', 'its id or name')
    .addArgument(new Argument('<tier>', 'the new one').choices(TIERS))
    .addHelpText('after', examples('accounts tier dev enterprise'))
    .action(
      run((cli, account: string, tier: string) =>
        change(cli.client(), account, 'tier', { tier }).then(shown(cli)),
      ),
    )
}

interface Closing {
  yes?: boolean
  statement?: string
  receipt?: string
}

async function closeAccount(cli: Cli, account: string, { yes, statement, receipt }: Closing): Promise<void> {
  const client = cli.client()
  const path = await accountPath(client, account)
  if (!yes) await confirm(cli, `Close the account ${clean(account)} and erase everything in it for ever?`)
  if (statement !== undefined) {
    const format = statement.endsWith('.csv') ? 'csv' : 'json'
    const request = { as: 'operator', query: { format } } as const
    const response = await client.open('GET', `${path}/statement`, request)
    writeOut(statement, await readBody(response, client.url, cli.interrupts.stop))
  }
  const { data } = await client.call<ClosedAccount>('DELETE', path, { as: 'operator' })
  const erasure =
    receipt === undefined ? data.erasure : await writeReceipt(cli, receipt, data.erasure, 'operator')
  cli.show({ ...data, erasure }, renderClosedAccount)
}

const STATES = [
  ['suspend', 'suspended', 'stop what costs money; reading and deleting stay possible'],
  ['reinstate', 'active', 'end a suspension'],
] as const

const shown =
  (cli: Parameters<Parameters<Parameters<Register>[1]>[0]>[0]) =>
  (account: Account): void =>
    cli.show(account, renderAccount)

async function change(client: Client, account: string, what: string, json: object): Promise<Account> {
  const path = await accountPath(client, account)
  await client.call('PUT', `${path}/${what}`, { as: 'operator', json })
  return (await client.call<Account>('GET', path, { as: 'operator' })).data
}

/** All of them, page by page. */
async function listAccounts(client: Client): Promise<Account[]> {
  const accounts: Account[] = []
  for (let page = 1; ; page++) {
    const request = { as: 'operator', query: { page, page_size: PAGE_SIZE } } as const
    const { data } = await client.call<Accounts>('GET', '/admin/accounts', request)
    accounts.push(...data.accounts)
    if (!data.pagination.has_next) return accounts
  }
}

/** The path of an account that is named by its id or by a name that only it has. @throws CliError */
export const accountPath = async (client: Client, account: string): Promise<string> =>
  `/admin/accounts/${encodeURIComponent(await accountIdOf(client, account))}`

/** The id of an account, likewise. @throws CliError */
export async function accountIdOf(client: Client, account: string): Promise<string> {
  if (UUID_PATTERN.test(account.toLowerCase())) return account.toLowerCase()
  const found = (await listAccounts(client)).filter(
    ({ account_id: id, name }) => id === account || name === account,
  )
  if (found.length === 1) return found[0]!.account_id
  throw found.length === 0
    ? new CliError('ACCOUNT_NOT_FOUND', `There is no account '${clean(account)}'.`, {
        hint: 'See them all with `medialog accounts list`.',
      })
    : new CliError('AMBIGUOUS_ACCOUNT', `${found.length} accounts are named '${clean(account)}'.`, {
        hint: `Name one by its id: ${found.map(({ account_id: id, balance }) => `${clean(id)} (${dollars(balance)})`).join(', ')}.`,
      })
}
