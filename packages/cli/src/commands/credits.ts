import { dollars } from '../terminal/format.ts'
import { clean } from '../terminal/text.ts'
import { accountIdOf } from './accounts.ts'
import { examples, type Register } from './command.ts'
import { positiveDollars } from './dollars.ts'

export const registerCredits: Register = (program, run) => {
  const credits = program
    .command('credits')
    .description('money of accounts (operator)')
    .addHelpText('after', examples('credits add dev 25'))

  credits
    .command('add')
    .description('add money to an account')
    .argument('<account>', 'its id or name')
    .argument('<amount>', 'USD', positiveDollars)
    .option('--reference <text>', 'such as an invoice number; the same reference credits once')
    .addHelpText('after', examples('credits add dev 25', 'credits add dev 25 --reference invoice-4711'))
    .action(
      run(async (cli, account: string, amount: string, { reference }: { reference?: string }) => {
        const client = cli.client()
        const account_id = await accountIdOf(client, account)
        cli.show(await client.creditAccount({ account_id, amount, reference }), ({ balance }, look) => [
          `${look.good('✓')} The balance of ${clean(account)} is ${look.bold(dollars(balance))}.`,
        ])
      }),
    )
}
