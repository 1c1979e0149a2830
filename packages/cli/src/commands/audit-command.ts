import type { Command } from 'commander'

/** `medialog audit`: several files add their commands to it. */
export const auditCommand = (program: Command): Command =>
  program.commands.find((command) => command.name() === 'audit') ??
  program
    .command('audit')
    .description('billing history, replayed from the events and proven; proof of the whole log')
