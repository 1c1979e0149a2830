import { MEDIA_TYPES, type MediaType } from '@medialog/kernel'
import { renderSimilar } from '../render/search.ts'
import { choice, collect, examples, ratio, wholeNumber, type Register } from './command.ts'

interface SimilarOptions {
  collection?: string[]
  type?: MediaType
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
        const similar = await cli.client().findSimilar({
          media_id: id,
          collections: collection.length === 1 ? collection[0] : collection,
          modality_filter: options.type,
          max_results: options.max,
          min_score: options.minScore,
          cluster: options.cluster,
          include_reference: options.reference,
        })
        cli.show(similar, renderSimilar)
      }),
    )
}
