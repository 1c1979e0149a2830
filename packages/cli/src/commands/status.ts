import { EXIT } from '../client/errors.ts'
import { renderStatus } from '../render/status.ts'
import { examples, type Register } from './command.ts'

export const registerStatus: Register = (program, run) => {
  program
    .command('status')
    .description('how the service is, and what the key may; exit code 1 when it is critical')
    .addHelpText('after', examples('status', 'status --url https://media.example.org --json'))
    .action(
      run(async (cli) => {
        const client = cli.client()
        const data = await client.readStatus()
        const { software_version } = await client.healthz()
        cli.show({ ...data, software_version }, (status, look) =>
          renderStatus(status, { url: client.url, software: software_version }, look),
        )
        return data.status === 'critical' ? EXIT.failed : EXIT.ok
      }),
    )
}
