import { MEDIA_TYPES, type MediaType } from '@medialog/kernel'
import type { MediaPage } from '../client/answers.ts'
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

/** All pages of a list as one that holds the entries of each. */
export async function inOne<Page extends Pick<MediaPage, 'pagination'>>(
  pages: AsyncIterable<Page>,
  field: keyof Page,
): Promise<Page> {
  const all = await Array.fromAsync(pages)
  const entries = all.flatMap((page) => page[field] as unknown[])
  const total = entries.length
  const pagination = { page: 1, page_size: total, total_items: total, total_pages: 1, has_next: false }
  return { ...all.at(-1)!, [field]: entries, pagination }
}

const filterOf = ({ type, collection, asOf }: ListOptions) => ({ media_type: type, collection, as_of: asOf })

const onePage = (cli: Cli, options: ListOptions): Promise<MediaPage> =>
  cli.client().listMedia({ page: options.page, page_size: options.pageSize, ...filterOf(options) })

const everyPage = (cli: Cli, options: ListOptions): Promise<MediaPage> =>
  inOne(cli.client().pages('listMedia', filterOf(options)), 'items')
