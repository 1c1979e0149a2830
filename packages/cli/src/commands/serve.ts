import { SERVER_PROCESS } from '../server-process.ts'
import { collect, examples, type Register } from './command.ts'

export const registerServe: Register = (program, run) => {
  program
    .command('serve')
    .description(
      'run the service in this process; settings are environment variables (docs/configuration.md)',
    )
    .option(
      '--role <roles>',
      'only these: api, worker, projections, publisher (default: all, alone)',
      collect,
    )
    .option('--check', 'only see whether it could start: exit code 1 where it could not')
    .addHelpText(
      'after',
      examples('serve', 'serve --role api,worker', 'serve --role projections --check --json'),
    )
    .action(
      run(async ({ asJson, environment, flags }, { role, check }: { role?: string[]; check?: boolean }) => {
        const { flags: ofNode, main, env } = SERVER_PROCESS
        const words = [
          ...(role ? ['--role', role.join(',')] : []),
          ...(check ? ['--check'] : []),
          ...(asJson ? ['--json'] : []),
        ]
        // Becomes the server, rather than standing between it and the signals of whoever supervises it.
        process.execve!(process.execPath, [process.execPath, ...ofNode, main, ...words], {
          ...environment,
          ...env,
          ...(flags.dataDir !== undefined && { MEDIALOG_DATA_DIR: flags.dataDir }),
          ...(flags.operatorToken !== undefined && { MEDIALOG_OPERATOR_TOKEN: flags.operatorToken }),
        })
      }),
    )
}
