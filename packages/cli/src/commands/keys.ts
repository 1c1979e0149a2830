import type { IssueKeyInput } from '@medialog/client'
import type { NewKey } from '../client/answers.ts'
import { renderKeys } from '../render/accounts.ts'
import { localTime } from '../terminal/format.ts'
import { clean } from '../terminal/text.ts'
import { accountIdOf } from './accounts.ts'
import { collectOf, examples, isoTime, wholeNumber, type Register } from './command.ts'

type Capability = NonNullable<IssueKeyInput['capabilities']>[number]
const CAPABILITIES: readonly Capability[] = ['read', 'write', 'delete']

interface CreateOptions {
  label?: string
  capabilities?: Capability[]
  expires?: string
}

export const registerKeys: Register = (program, run) => {
  const keys = program
    .command('keys')
    .description('API keys of an account (operator)')
    .addHelpText('after', examples('keys list dev', 'keys create dev --capabilities read'))

  keys
    .command('list')
    .description('the keys of an account, without their secrets')
    .argument('<account>', 'its id or name')
    .addHelpText('after', examples('keys list dev'))
    .action(
      run(async (cli, account: string) => {
        const account_id = await accountIdOf(cli.client(), account)
        cli.show(await cli.client().listKeys({ account_id }), ({ keys }, look) => renderKeys(keys, look))
      }),
    )

  keys
    .command('create')
    .description('make a key; it is shown this once')
    .argument('<account>', 'its id or name')
    .option('--label <text>', 'what it is for')
    .option('--capabilities <names>', 'read, write, delete (default: all)', collectOf(CAPABILITIES))
    .option('--expires <time>', 'when it stops being valid', isoTime)
    .addHelpText(
      'after',
      examples(
        'keys create dev --label "CI" --capabilities read,write',
        'keys create dev --expires 2027-01-01',
      ),
    )
    .action(
      run(async (cli, account: string, { label, capabilities, expires }: CreateOptions) => {
        const account_id = await accountIdOf(cli.client(), account)
        const key = { label, capabilities, expires_at: expires }
        cli.show(await cli.client().issueKey({ account_id, ...key }), renderNewKey)
      }),
    )

  keys
    .command('rotate')
    .description('replace a key by a new one; it is shown this once')
    .argument('<account>', 'its id or name')
    .argument('<key-id>', 'from `keys list`')
    .option('--grace <seconds>', 'how long the old key stays valid', wholeNumber(0), 0)
    .addHelpText('after', examples('keys rotate dev a1b2c3d4 --grace 3600'))
    .action(
      run(async (cli, account: string, keyId: string, { grace }: { grace: number }) => {
        const account_id = await accountIdOf(cli.client(), account)
        const rotated = await cli.client().rotateKey({ account_id, key_id: keyId, grace_seconds: grace })
        cli.show(rotated, renderNewKey)
      }),
    )

  keys
    .command('revoke')
    .description('end a key at once')
    .argument('<account>', 'its id or name')
    .argument('<key-id>', 'from `keys list`')
    .addHelpText('after', examples('keys revoke dev a1b2c3d4'))
    .action(
      run(async (cli, account: string, keyId: string) => {
        const account_id = await accountIdOf(cli.client(), account)
        cli.show(await cli.client().revokeKey({ account_id, key_id: keyId }), (_, look) => [
          `${look.good('✓')} Key ${clean(keyId)} is revoked.`,
        ])
      }),
    )
}

const renderNewKey = (
  { api_key: key, old_key_valid_until: until }: NewKey,
  look: { bold: (text: string) => string; dim: (text: string) => string },
): string[] => [
  look.bold(clean(key)),
  look.dim('This is the only time that it is shown.'),
  ...(until ? [look.dim(`The old key is valid until ${localTime(until)}.`)] : []),
]
