import { EXIT } from '../client/errors.ts'
import { renderEvent } from '../render/events.ts'
import { collect, examples, type Register } from './command.ts'

interface FollowFlags {
  type?: string[]
  after?: string
}

/** `events follow`: what happens in the account, as it happens. */
export const registerEvents: Register = (program, run) => {
  const events = program
    .command('events')
    .description('what happens in the account')
    .addHelpText('after', examples('events follow'))
  events
    .command('follow')
    .description('print each event as it happens until Ctrl-C; goes on by itself where the connection breaks')
    .option('--type <type>', 'only events of this type; may be given more than once, or with commas', collect)
    .option(
      '--after <position>',
      'begin behind it: a position that was printed, an X-Position, or `beginning` for all that there is',
    )
    .addHelpText(
      'after',
      examples(
        'events follow',
        'events follow --type MediaIngested,MediaDeleted',
        'events follow --after beginning --json',
      ),
    )
    .action(
      run(async (cli, { type = [], after }: FollowFlags) => {
        const { terminal, asJson, interrupts } = cli
        const feed = cli.client().events(
          { types: type, ...(after !== undefined && { after }) },
          {
            onRetry: ({ message }, milliseconds) =>
              terminal.printError(`${message} Going on in ${(milliseconds / 1000).toFixed(1)} s.`),
          },
        )
        try {
          for await (const { event, position } of feed)
            terminal.print(asJson ? JSON.stringify({ position, event }) : renderEvent(event, terminal.look))
        } catch (error) {
          if (!interrupts.stop.aborted) throw error
        }
        const { position } = feed
        if (position !== null) terminal.printError(`To go on: medialog events follow --after ${position}`)
        return EXIT.ok
      }),
    )
}
