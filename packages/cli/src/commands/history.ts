import type { MediaHistory, RequestHistory } from '../client/answers.ts'
import type { Cli } from '../cli.ts'
import { renderMediaHistory, renderRequest } from '../render/history.ts'
import { examples, type Register } from './command.ts'
import { onOnePage, reading } from './media.ts'

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
        const path = `/v1/media/${encodeURIComponent(id)}/history`
        cli.show(await everyPage<MediaHistory>(cli, path), renderMediaHistory)
      }),
    )

  program
    .command('request')
    .description('everything that one request caused')
    .argument('<id>', 'req_…: the X-Request-Id of its answer')
    .addHelpText('after', examples('request req_0198…', 'request req_0198… --json'))
    .action(
      run(async (cli, id: string) => {
        const path = `/v1/requests/${encodeURIComponent(id)}`
        cli.show(await everyPage<RequestHistory>(cli, path), renderRequest)
      }),
    )
}

/** All entries, page by page. */
async function everyPage<Page extends MediaHistory | RequestHistory>(cli: Cli, path: string): Promise<Page> {
  const entries: Page['entries'] = []
  for (let page = 1; ; page++) {
    const { data } = await reading(cli, (client) =>
      client.call<Page>('GET', path, { query: { page, page_size: PAGE_SIZE } }),
    )
    entries.push(...data.entries)
    if (data.pagination.has_next) continue
    return { ...data, entries, pagination: onOnePage(entries.length) }
  }
}
