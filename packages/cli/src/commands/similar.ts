import { randomUUID } from 'node:crypto'
import { MEDIA_TYPES } from '@medialog/kernel'
import type { SimilarAnswer } from '../client/answers.ts'
import { renderSimilar } from '../render/search.ts'
import { choice, collect, examples, ratio, wholeNumber, type Register } from './command.ts'
import { reading } from './media.ts'

interface SimilarOptions {
  collection?: string[]
  type?: string
  max?: number
  minScore?: number
  cluster?: boolean
  reference?: boolean
}

export const registerSimilar: Register = (program, run) => {
  program
    .command('similar')
    .description('find what is similar to an item in content; costs a price')
    .argument('<id>', 'doc_…, img_…, vid_…, aud_…, mdl_… or vec-…')
    .option('-c, --collection <names>', 'in these only, repeated or with commas (default: all)', collect)
    .addOption(choice('-t, --type <type>', 'of one type only', MEDIA_TYPES))
    .option('-n, --max <number>', 'results', wholeNumber(1, 100), 10)
    .option('--min-score <number>', 'from 0 to 1; what scores less is left out', ratio)
    .option('--cluster', 'in groups that belong together')
    .option('--reference', 'with the item itself')
    .addHelpText('after', examples('similar doc_0b0e…', 'similar vec-0b0e… --cluster --type image'))
    .action(
      run(async (cli, id: string, { collection = ['all'], ...options }: SimilarOptions) => {
        const json = {
          media_id: id,
          collections: collection.length === 1 ? collection[0] : collection,
          modality_filter: options.type,
          max_results: options.max,
          min_score: options.minScore,
          cluster: options.cluster,
          include_reference: options.reference,
        }
        // However often it is tried, it is paid once.
        const headers = { 'idempotency-key': randomUUID() }
        const { data } = await reading(cli, (client) =>
          client.call<SimilarAnswer>('POST', '/v1/search/similar', { json, headers }),
        )
        cli.show(data, renderSimilar)
      }),
    )
}
