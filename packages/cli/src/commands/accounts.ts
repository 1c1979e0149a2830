import { UUID_PATTERN } from '@medialog/kernel'
import { Argument } from 'commander'
import { textOf, type Account, type Client, type OpenAccountInput } from '@medialog/client'
import type { Cli } from '../cli.ts'
import { CliError } from '../client/errors.ts'
import { balanceOf, renderAccount, renderAccounts, renderClosedAccount } from '../render/accounts.ts'
import { clean } from '../terminal/text.ts'
import { choice, examples, type Register } from './command.ts'
import { confirm } from './delete.ts'
import { positiveDollars } from './dollars.ts'
import { writeOut } from './documents.ts'
import { withReceipt, writeReceipt } from './receipts.ts'

type Tier = NonNullable<OpenAccountInput['tier']>
export const TIERS: readonly Tier[] = ['free', 'standard', 'enterprise']

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
        const accounts = await Array.fromAsync(cli.client().iterate('listAccounts'))
        cli.show({ accounts }, (data, look) => renderAccounts(data.accounts, look))
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
      run(async (cli, name: string, { tier, credit }: { tier: Tier; credit?: string }) => {
        cli.show(await cli.client().openAccount({ name, tier, credit }), renderAccount)
      }),
    )

  accounts
    .command('show')
    .description('one account')
    .argument('<account>', 'its id or name')
    .addHelpText('after', examples('accounts show dev'))
    .action(
      run(async (cli, account: string) => {
        const account_id = await accountIdOf(cli.client(), account)
        cli.show(await cli.client().readAccount({ account_id }), renderAccount)
      }),
    )

  for (const [name, state, description] of STATES)
    accounts
      .command(name)
      .description(description)
      .argument('<account>', 'its id or name')
      .addHelpText('after', examples(`accounts ${name} dev`))
      .action(
        run((cli, account: string) =>
          change(cli, account, (account_id) => cli.client().changeState({ account_id, state })),
        ),
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
      run((cli, account: string, tier: Tier) =>
        change(cli, account, (account_id) => cli.client().changeTier({ account_id, tier })),
      ),
    )
}

/** Changes an account and shows it as it is then. */
async function change(
  cli: Cli,
  account: string,
  changeIt: (accountId: string) => Promise<unknown>,
): Promise<void> {
  const account_id = await accountIdOf(cli.client(), account)
  await changeIt(account_id)
  cli.show(await cli.client().readAccount({ account_id }), renderAccount)
}

interface Closing {
  yes?: boolean
  statement?: string
  receipt?: string
}

async function closeAccount(cli: Cli, account: string, { yes, statement, receipt }: Closing): Promise<void> {
  const client = cli.client()
  const account_id = await accountIdOf(client, account)
  if (!yes) await confirm(cli, `Close the account ${clean(account)} and erase everything in it for ever?`)
  if (statement !== undefined) {
    const format = statement.endsWith('.csv') ? 'csv' : 'json'
    writeOut(statement, await textOf(await client.open('readAccountStatement', { account_id, format })))
  }
  const data = await client.closeAccount({ account_id })
  const erasure =
    receipt === undefined ? data.erasure : await writeReceipt(cli, receipt, data.erasure, 'operator')
  cli.show({ ...data, erasure }, renderClosedAccount)
}

const STATES = [
  ['suspend', 'suspended', 'stop what costs money; reading and deleting stay possible'],
  ['reinstate', 'active', 'end a suspension'],
] as const

/** The id of an account that is named by it, or by a name that only it has. @throws CliError */
export async function accountIdOf(client: Client, account: string): Promise<string> {
  if (UUID_PATTERN.test(account.toLowerCase())) return account.toLowerCase()
  const found: Account[] = []
  for await (const listed of client.iterate('listAccounts'))
    if (listed.account_id === account || listed.name === account) found.push(listed)
  if (found.length === 1) return found[0]!.account_id
  throw found.length === 0
    ? new CliError('ACCOUNT_NOT_FOUND', `There is no account '${clean(account)}'.`, {
        hint: 'See them all with `medialog accounts list`.',
      })
    : new CliError('AMBIGUOUS_ACCOUNT', `${found.length} accounts are named '${clean(account)}'.`, {
        hint: `Name one by its id: ${found.map(({ account_id: id, balance }) => `${clean(id)} (${balanceOf(balance)})`).join(', ')}.`,
      })
}
