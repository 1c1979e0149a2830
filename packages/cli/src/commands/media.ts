import { MEDIA_TYPES, type MediaType } from '@medialog/kernel'
import type { ListedItem, MediaPage } from '../client/answers.ts'
import type { Cli } from '../cli.ts'
import { renderMediaItem, renderMediaPage } from '../render/media.ts'
import { choice, examples, isoTime, wholeNumber, type Register } from './command.ts'

interface ListOptions {
  page: number
  pageSize: number
  type?: MediaType
  collection?: string
  asOf?: string
  all?: boolean
}

/** `list` and `show`. */
export const registerMedia: Register = (program, run) => {
  program
    .command('list')
    .description('what is stored')
    .option('-p, --page <number>', 'which page', wholeNumber(1), 1)
    .option('-n, --page-size <number>', 'items a page', wholeNumber(1, 100), 20)
    .option('--all', 'all pages')
    .addOption(choice('-t, --type <type>', 'of one type only', MEDIA_TYPES))
    .option('-c, --collection <name>', 'of one collection only')
    .option('--as-of <time>', 'as it was then', isoTime)
    .addHelpText(
      'after',
      examples(
        'list',
        'list --type image --collection holiday',
        'list --as-of 2026-11-01',
        'list --all --json',
      ),
    )
    .action(
      run(async (cli, options: ListOptions) => {
        const page = options.all ? await everyPage(cli, options) : await onePage(cli, options)
        cli.show(page, renderMediaPage)
      }),
    )

  program
    .command('show')
    .description('one item with all that is known of it')
    .argument('<id>', 'doc_…, img_…, vid_…, aud_…, mdl_… or vec-…')
    .option('--chunks', 'with its text')
    .option('--vectors', 'with its vectors')
    .addHelpText('after', examples('show doc_0b0e… --chunks', 'show doc_0b0e… --vectors --json'))
    .action(
      run(async (cli, id: string, { chunks, vectors }: { chunks?: boolean; vectors?: boolean }) => {
        const asked = { media_id: id, include_chunks: chunks, include_vectors: vectors }
        cli.show(await cli.client().readMedia(asked), renderMediaItem)
      }),
    )
}

/** Of what was read page by page. */
export const onOnePage = (total: number): MediaPage['pagination'] => ({
  page: 1,
  page_size: total,
  total_items: total,
  total_pages: 1,
  has_next: false,
})

const onePage = (cli: Cli, { page, pageSize, type, collection, asOf }: ListOptions): Promise<MediaPage> =>
  cli.client().listMedia({ page, page_size: pageSize, media_type: type, collection, as_of: asOf })

async function everyPage(cli: Cli, options: ListOptions): Promise<MediaPage> {
  const items: ListedItem[] = []
  for (let page = 1; ; page++) {
    const read = await onePage(cli, { ...options, page, pageSize: 100 })
    items.push(...read.items)
    if (read.pagination.has_next) continue
    return { ...read, items, pagination: onOnePage(items.length) }
  }
}
