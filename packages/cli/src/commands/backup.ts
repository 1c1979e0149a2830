import { resolve } from 'node:path'
import { UsageError } from '../client/errors.ts'
import { maintained } from '../maintenance.ts'
import {
  renderApplied,
  renderBackup,
  renderExport,
  renderRestore,
  type Backup,
  type ErasureExport,
  type Restored,
} from '../render/backups.ts'
import { examples, type Register } from './command.ts'

/** `backup`, `restore` and `erasures`: work on data folders of this machine and on logs, done beside the server. */
export const registerBackup: Register = (program, run) => {
  program
    .command('backup')
    .description(
      'copy the data folder of this machine, whose service may go on; again into the same folder copies what is new',
    )
    .argument('<folder>', 'where to: one that is empty, not there yet, or holds the backup before')
    .addHelpText('after', examples('backup /mnt/backups/medialog', 'backup /mnt/b --data-dir ./data --json'))
    .action(
      run(async (cli, folder: string) =>
        cli.show(await maintained<Backup>(cli, ['backup', resolve(folder)]), renderBackup),
      ),
    )

  program
    .command('restore')
    .description('make a data folder from a backup, all of it proven, without what was deleted since')
    .argument('<backup>', 'the folder that `backup` wrote to')
    .requiredOption('--data <folder>', 'where to: one that is empty or not there yet')
    .option('--erasures <file>', 'the last that `erasures export` wrote: what it names stays erased')
    .option('--without-erasures', 'there is none: what was deleted after the backup comes back')
    .addHelpText(
      'after',
      examples(
        'restore /mnt/backups/medialog --data ./data --erasures /mnt/erasures.json',
        'restore /mnt/backups/medialog --data ./data --without-erasures',
      ),
    )
    .action(
      run(async (cli, backup: string, options: RestoreOptions) => {
        const erasures = erasuresIn(options)
        const words = ['restore', resolve(backup), resolve(options.data), ...erasures]
        cli.show(await maintained<Restored>(cli, words), renderRestore)
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
        cli.show(await maintained<ErasureExport>(cli, ['export-erasures', resolve(file)]), renderExport),
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
        cli.show(await maintained<ErasureExport>(cli, ['apply-erasures', resolve(file)]), renderApplied),
      ),
    )
}

interface RestoreOptions {
  data: string
  erasures?: string
  withoutErasures?: boolean
}

/** Nobody brings back by an oversight what was to be gone. @throws UsageError */
function erasuresIn({ erasures, withoutErasures }: RestoreOptions): string[] {
  if ((erasures === undefined) === !withoutErasures)
    throw new UsageError(
      'Name what was deleted since the backup with --erasures, or say --without-erasures.',
      '`medialog erasures export` writes it, as long as the log is there.',
    )
  return erasures === undefined ? [] : [resolve(erasures)]
}
