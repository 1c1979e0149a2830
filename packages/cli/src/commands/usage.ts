import type { ReadUsageInput } from '@medialog/client'
import { renderUsage } from '../render/usage.ts'
import { choice, examples, isoTime, type Register } from './command.ts'

interface UsageOptions {
  detailed?: boolean
  groupBy?: ReadUsageInput['group_by']
  from?: string
  to?: string
  asOf?: string
}

export const registerUsage: Register = (program, run) => {
  program
    .command('usage')
    .description('the bill: balance, costs and storage')
    .option('--detailed', 'with costs over time and the last transactions')
    .addOption(choice('--group-by <period>', 'how costs over time are summed', ['hour', 'day', 'month']))
    .option('--from <time>', 'since (default: 7 days ago)', isoTime)
    .option('--to <time>', 'until (default: now)', isoTime)
    .option('--as-of <time>', 'as it was then', isoTime)
    .addHelpText('after', examples('usage', 'usage --detailed --group-by month --from 2026-01-01'))
    .action(
      run(async (cli, { detailed, groupBy, from, to, asOf }: UsageOptions) => {
        const query = {
          detailed: detailed || undefined,
          group_by: groupBy,
          start_time: from,
          end_time: to,
          as_of: asOf,
        }
        cli.show(await cli.client().readUsage(query), renderUsage)
      }),
    )
}
