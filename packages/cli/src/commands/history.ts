import { renderMediaHistory, renderRequest } from '../render/history.ts'
import { examples, type Register } from './command.ts'
import { inOne } from './media.ts'

const PAGE_SIZE = 1000

/** `history` and `request`: what happened, from the log. */
export const registerHistory: Register = (program, run) => {
  program
    .command('history')
    .description('everything that happened to an item: what it was made with, what it cost, where it went')
    .argument('<id>', 'doc_…, img_…, vid_…, aud_…, mdl_… or vec-…; also of one that was deleted')
    .addHelpText('after', examples('history doc_0b0e…', 'history doc_0b0e… --json'))
    .action(
      run(async (cli, id: string) => {
        const pages = cli.client().pages('readMediaHistory', { media_id: id, page_size: PAGE_SIZE })
        cli.show(await inOne(pages, 'entries'), renderMediaHistory)
      }),
    )

  program
    .command('request')
    .description('everything that one request caused')
    .argument('<id>', 'req_…: the X-Request-Id of its answer')
    .addHelpText('after', examples('request req_0198…', 'request req_0198… --json'))
    .action(
      run(async (cli, id: string) => {
        const pages = cli.client().pages('readRequest', { request_id: id, page_size: PAGE_SIZE })
        cli.show(await inOne(pages, 'entries'), renderRequest)
      }),
    )
}
