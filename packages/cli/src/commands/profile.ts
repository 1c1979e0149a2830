import type { Command } from 'commander'
import { UsageError } from '../client/errors.ts'
import type { Cli } from '../cli.ts'
import { describeProfiles, renderProfiles } from '../render/profiles.ts'
import {
  profilesPath,
  readProfiles,
  writeProfiles,
  type Profile,
  type Profiles,
} from '../settings/profiles.ts'
import { parseUrl } from '../settings/settings.ts'
import { clean } from '../terminal/text.ts'
import { examples, type Register } from './command.ts'

export const registerProfile: Register = (program, run) => {
  const profile: Command = program
    .command('profile')
    .description('addresses and keys, kept under a name')
    .addHelpText('after', examples('profile add work --url https://media.example.org', 'profile use work'))

  profile
    .command('add')
    .description(
      'keep --url, --key and --operator-token under a name; without --url, what the environment holds too',
    )
    .argument('<name>')
    .addHelpText(
      'after',
      examples(
        'profile add work --url https://media.example.org --key mlk_…',
        'profile add local --url http://127.0.0.1:8080',
      ),
    )
    .action(
      run(async (cli, name: string) => {
        const added = given(cli)
        if (Object.keys(added).length === 0)
          throw new UsageError('There is nothing to keep.', 'Give --url, --key or --operator-token.')
        change(cli, ({ current, profiles }) => ({
          current: current ?? name,
          profiles: { ...profiles, [name]: added },
        }))
      }),
    )

  profile
    .command('list')
    .description('all profiles; the one in use has a star')
    .addHelpText('after', examples('profile list'))
    .action(run(async (cli) => showProfiles(cli, readProfiles(profilesPath(cli.environment)))))

  profile
    .command('use')
    .description('use a profile from now on')
    .argument('<name>')
    .addHelpText('after', examples('profile use work', 'list --profile work'))
    .action(
      run(async (cli, name: string) => {
        change(cli, (all) => ({ ...known(all, name), current: name }))
      }),
    )

  profile
    .command('remove')
    .description('forget a profile')
    .argument('<name>')
    .addHelpText('after', examples('profile remove work'))
    .action(
      run(async (cli, name: string) => {
        change(cli, (all) => {
          const { [name]: _, ...profiles } = known(all, name).profiles
          return { current: all.current === name ? null : all.current, profiles }
        })
      }),
    )
}

function given({ flags, environment }: Cli): Profile {
  // What the environment holds belongs to the server that it names: not to one that a flag names.
  const held = flags.url === undefined ? environment : {}
  const url = flags.url ?? held.MEDIALOG_URL
  const key = flags.key ?? held.MEDIALOG_API_KEY
  const operatorToken = flags.operatorToken ?? held.MEDIALOG_OPERATOR_TOKEN
  return { ...(url && { url: parseUrl(url) }), ...(key && { key }), ...(operatorToken && { operatorToken }) }
}

function known(all: Profiles, name: string): Profiles {
  if (Object.hasOwn(all.profiles, name)) return all
  throw new UsageError(`There is no profile '${clean(name)}'.`, 'See `medialog profile list`.')
}

function change(cli: Cli, decide: (profiles: Profiles) => Profiles): void {
  const path = profilesPath(cli.environment)
  const profiles = decide(readProfiles(path))
  writeProfiles(path, profiles)
  showProfiles(cli, profiles)
}

function showProfiles(cli: Cli, profiles: Profiles): void {
  cli.show({ profiles: describeProfiles(profiles) }, (_, look) => renderProfiles(profiles, look))
}
