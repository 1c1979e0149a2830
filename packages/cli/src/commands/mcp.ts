import { examples, type Register } from './command.ts'

/** `mcp`: tools for an agent that starts the command line itself. */
export const registerMcp: Register = (program, run) => {
  program
    .command('mcp')
    .description('serve an agent on standard input and output, by the Model Context Protocol')
    .option('--allow <folder...>', 'let uploads name files below this folder by their path')
    .addHelpText('after', examples('mcp', 'mcp --profile work', 'mcp --allow ~/Documents'))
    .action(
      run(async (cli, { allow: folders = [] }: { allow?: string[] }) => {
        // Loaded only here: it takes longer to load than most commands take to run.
        const { serveAgent } = await import('@medialog/mcp/stdio')
        const client = cli.client()
        const { software_version: version } = await client.healthz()
        await serveAgent(client, { version, folders, signal: cli.interrupts.stop })
      }),
    )
}
