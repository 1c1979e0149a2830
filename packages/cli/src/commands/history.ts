import type { MediaHistory, RequestHistory } from '../client/answers.ts'
import { renderMediaHistory, renderRequest } from '../render/history.ts'
import { examples, type Register } from './command.ts'
import { onOnePage } from './media.ts'

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
        const client = cli.client()
        const read = (page: Page) => client.readMediaHistory({ media_id: id, ...page })
        cli.show(await everyPage<MediaHistory>(read), renderMediaHistory)
      }),
    )

  program
    .command('request')
    .description('everything that one request caused')
    .argument('<id>', 'req_…: the X-Request-Id of its answer')
    .addHelpText('after', examples('request req_0198…', 'request req_0198… --json'))
    .action(
      run(async (cli, id: string) => {
        const client = cli.client()
        const read = (page: Page) => client.readRequest({ request_id: id, ...page })
        cli.show(await everyPage<RequestHistory>(read), renderRequest)
      }),
    )
}

interface Page {
  page: number
  page_size: number
}

/** All entries, page by page. */
async function everyPage<History extends MediaHistory | RequestHistory>(
  read: (page: Page) => Promise<History>,
): Promise<History> {
  const entries: History['entries'] = []
  for (let page = 1; ; page++) {
    const data = await read({ page, page_size: PAGE_SIZE })
    entries.push(...data.entries)
    if (data.pagination.has_next) continue
    return { ...data, entries, pagination: onOnePage(entries.length) }
  }
}
