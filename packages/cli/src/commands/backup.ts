import { resolve } from 'node:path'
import { Option } from 'commander'
import { UsageError } from '../client/errors.ts'
import { maintained } from '../maintenance.ts'
import {
  renderApplied,
  renderBackup,
  renderBackupKey,
  renderBackups,
  renderExport,
  renderRestore,
  renderVerified,
  type Backup,
  type BackupKey,
  type ErasureExport,
  type ListedBackup,
  type Restored,
  type Verified,
} from '../render/backups.ts'
import { collect, examples, wholeNumber, type Register } from './command.ts'

/** `backup`, `restore` and `erasures`: work on data folders of this machine and on logs, done beside the server. */
export const registerBackup: Register = (program, run) => {
  const backup = program
    .command('backup')
    // Options behind `verify` are those of `verify`.
    .enablePositionalOptions()
    .description(
      'copy the data folder of this machine, whose service may go on; again into the same folder copies what is new',
    )
    .argument('<folder>', 'where to: one that is empty, not there yet, or holds the backup before')
    .option(
      '--encrypt-to <keys>',
      'public keys of age, or files of them; more than once, or with commas',
      collect,
    )
    .option('--passphrase-file <file>', 'encrypt with the passphrase in it instead')
    .option('--keep <backups>', 'how many the folder holds afterwards, this one included', wholeNumber(1), 1)
    .addHelpText(
      'after',
      examples(
        'backup /mnt/backups/medialog',
        'backup /mnt/backups/medialog --encrypt-to age1… --keep 7',
        'backup verify /mnt/backups/medialog --identity backup.key',
      ),
    )
    .action(
      run(async (cli, folder: string, { encryptTo, keep, passphraseFile }: BackupOptions) =>
        cli.show(
          await maintained<Backup>(cli, 'backup', {
            folder: resolve(folder),
            recipients: encryptTo?.map((key) => (key.startsWith('age1') ? key : resolve(key))),
            keep,
            ...pathsIn({ passphraseFile }),
          }),
          renderBackup,
        ),
      ),
    )

  backup
    .command('verify')
    .description('prove a backup without restoring it: digests, chain, tree, and artifacts of some items')
    .argument('<folder>', 'what `backup` wrote to')
    .option(
      '--sample <items>',
      'how many items have their artifacts read; of others they are to be there',
      wholeNumber(0),
      1_000,
    )
    .option('--backup <name>', 'which one, as `backup list` names it; else the last')
    .addOption(identityOption())
    .addOption(passphraseOption())
    .addHelpText('after', examples('backup verify /mnt/backups/medialog --identity backup.key'))
    .action(
      run(async (cli, folder: string, options: OpenOptions & { sample: number }) => {
        const words = { ...opening(folder, options), sample: options.sample }
        cli.show(await maintained<Verified>(cli, 'backup-verify', words), renderVerified)
      }),
    )

  backup
    .command('list')
    .description('the backups that a folder holds')
    .argument('<folder>', 'what `backup` wrote to')
    .addHelpText('after', examples('backup list /mnt/backups/medialog'))
    .action(
      run(async (cli, folder: string) =>
        cli.show(
          await maintained<{ backups: ListedBackup[] }>(cli, 'backup-list', { folder: resolve(folder) }),
          renderBackups,
        ),
      ),
    )

  backup
    .command('key')
    .description('make a pair of keys of age: the file holds the secret one, which restores need')
    .argument('<file>', 'where to; not on the machine of the service')
    .addHelpText('after', examples('backup key backup.key'))
    .action(
      run(async (cli, file: string) =>
        cli.show(await maintained<BackupKey>(cli, 'backup-key', { file: resolve(file) }), renderBackupKey),
      ),
    )

  program
    .command('restore')
    .description('make a data folder from a backup, all of it proven, without what was deleted since')
    .argument('<folder>', 'what `backup` wrote to')
    .requiredOption('--data <folder>', 'where to: one that is empty or not there yet')
    .option('--erasures <file>', 'the last that `erasures export` wrote: what it names stays erased')
    .option('--without-erasures', 'there is none: what was deleted after the backup comes back')
    .option('--backup <name>', 'which one, as `backup list` names it; else the last')
    .addOption(identityOption())
    .addOption(passphraseOption())
    .addHelpText(
      'after',
      examples(
        'restore /mnt/backups/medialog --data ./data --erasures /mnt/erasures.json',
        'restore /mnt/backups/medialog --data ./data --without-erasures',
        'restore /mnt/backups/medialog --data ./data --erasures list.json --identity backup.key',
      ),
    )
    .action(
      run(async (cli, folder: string, options: RestoreOptions) => {
        const words = { ...opening(folder, options), data: resolve(options.data), ...erasuresIn(options) }
        cli.show(await maintained<Restored>(cli, 'restore', words), renderRestore)
      }),
    )

  const erasures = program
    .command('erasures')
    .description('what was deleted, by ids alone')
    .addHelpText('after', examples('erasures export /mnt/erasures.json', 'erasures apply /mnt/erasures.json'))

  erasures
    .command('export')
    .description('write everything that was deleted up to now, to be kept apart from backups')
    .argument('<file>', 'takes the place of the one before')
    .addHelpText('after', examples('erasures export /mnt/erasures.json'))
    .action(
      run(async (cli, file: string) =>
        cli.show(
          await maintained<ErasureExport>(cli, 'export-erasures', { file: resolve(file) }),
          renderExport,
        ),
      ),
    )

  erasures
    .command('apply')
    .description(
      'delete what the list names in a log on a server that was restored, before its service starts',
    )
    .argument('<file>', 'the last that `erasures export` wrote')
    .addHelpText('after', examples('erasures apply /mnt/erasures.json'))
    .action(
      run(async (cli, file: string) =>
        cli.show(
          await maintained<ErasureExport>(cli, 'apply-erasures', { file: resolve(file) }),
          renderApplied,
        ),
      ),
    )
}

interface BackupOptions {
  encryptTo?: string[]
  passphraseFile?: string
  keep: number
}

interface OpenOptions {
  backup?: string
  identity?: string
  passphraseFile?: string
}

interface RestoreOptions extends OpenOptions {
  data: string
  erasures?: string
  withoutErasures?: boolean
}

const identityOption = () => new Option('--identity <file>', 'of an encrypted one: the secret key of age')
const passphraseOption = () =>
  new Option('--passphrase-file <file>', 'the passphrase that it was encrypted with').conflicts('identity')

const opening = (folder: string, { backup, identity, passphraseFile }: OpenOptions) => ({
  folder: resolve(folder),
  run: backup,
  ...pathsIn({ identityFile: identity, passphraseFile }),
})

/** Those that are named, as the other process finds them too. */
const pathsIn = (named: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(named).flatMap(([name, path]) => (path === undefined ? [] : [[name, resolve(path)]])),
  )

/** Nobody brings back by an oversight what was to be gone. @throws UsageError */
function erasuresIn({ erasures, withoutErasures }: RestoreOptions): { erasures?: string } {
  if ((erasures === undefined) === !withoutErasures)
    throw new UsageError(
      'Name what was deleted since the backup with --erasures, or say --without-erasures.',
      '`medialog erasures export` writes it, as long as the log is there.',
    )
  return pathsIn({ erasures })
}
