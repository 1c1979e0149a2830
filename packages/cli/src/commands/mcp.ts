import { examples, type Register } from './command.ts'

/** `mcp`: tools for an agent that starts the command line itself. */
export const registerMcp: Register = (program, run) => {
  program
    .command('mcp')
    .description('serve an agent on standard input and output, by the Model Context Protocol')
    .addHelpText('after', examples('mcp', 'mcp --profile work'))
    .action(
      run(async (cli) => {
        // Loaded only here: it takes longer to load than most commands take to run.
        const { serveAgent } = await import('@medialog/mcp/stdio')
        const client = cli.client()
        const { software_version: version } = await client.healthz()
        await serveAgent(client, version, cli.interrupts.stop)
      }),
    )
}
