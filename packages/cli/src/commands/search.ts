import type { SearchInput } from '@medialog/client'
import { DEFAULT_LEXICAL_WEIGHT } from '@medialog/contract/search-limits'
import { MEDIA_TYPES, type MediaType } from '@medialog/kernel'
import { InvalidArgumentError } from 'commander'
import { renderSearch } from '../render/search.ts'
import {
  collect,
  collectOf,
  examples,
  isoTime,
  ratio,
  someNumber,
  wholeNumber,
  type Register,
} from './command.ts'

export interface SearchOptions {
  collection?: string[]
  type?: MediaType[]
  max?: number
  minScore?: number
  lexicalWeight?: number
  after?: string
  before?: string
  topic?: string[]
  entity?: { [kind: string]: string[] }
  advanced?: boolean
  depth?: number
  factor?: number
}

/** Below it, what is shared with the query is a word or two: the service itself gives back whatever scores above 0. */
const WORTH_SHOWING = 0.1

export const registerSearch: Register = (program, run) => {
  program
    .command('search')
    .description('find items by words and by meaning')
    .argument('<query...>', 'what to look for')
    .option('-c, --collection <names>', 'in these only, repeated or with commas (default: all)', collect)
    .option('-t, --type <types>', `of these only: ${MEDIA_TYPES.join(', ')}`, collectOf(MEDIA_TYPES))
    .option('-n, --max <number>', 'results', wholeNumber(1, 100), 10)
    .option(
      '--min-score <number>',
      `from 0 to 1; what scores less is left out (default: ${WORTH_SHOWING}; 0 with connections)`,
      ratio,
    )
    .option(
      '--lexical-weight <number>',
      `from 0 (meaning alone) to 1 (words alone); the server takes ${DEFAULT_LEXICAL_WEIGHT}`,
      ratio,
    )
    .option('--after <time>', 'stored since', isoTime)
    .option('--before <time>', 'stored until', isoTime)
    .option('--topic <names>', 'with one of these topics', collect)
    .option('--entity <kind=name>', 'naming this; kinds: people, organizations, locations, concepts', entity)
    .option('--advanced', 'follow connections between items; costs a price, and one more a level reached')
    .option('--depth <number>', 'levels of connections, 0 to 5; the server takes 1', wholeNumber(0, 5))
    .option(
      '--factor <number>',
      'connections followed of an item, 1 to 10; the server takes 2',
      someNumber(1, 10),
    )
    .addHelpText(
      'after',
      examples(
        'search how whales sleep',
        'search "quarterly report" --type document,image --min-score 0.3',
        'search revenue --collection finance --entity organizations=Acme --lexical-weight 0.8',
        'search "moon landing" --advanced --depth 2',
      ),
    )
    .action(
      run(async (cli, words: string[], options: SearchOptions) => {
        cli.show(await cli.client().search(searchInput(words.join(' '), options)), renderSearch)
      }),
    )
}

/** What is undefined is left to the server. */
export function searchInput(query: string, options: SearchOptions): SearchInput {
  const { collection = ['all'], type, max, minScore, after, before, topic, entity } = options
  const { lexicalWeight, advanced, depth, factor } = options
  const config = { lexical_weight: lexicalWeight, context_depth: depth, expansion_factor: factor }
  const follows = advanced || depth !== undefined || factor !== undefined
  const filters = {
    media_type: type,
    created_after: after,
    created_before: before,
    topics: topic,
    entities: entity,
  }
  return {
    query,
    type: follows ? 'advanced' : undefined,
    collections: collection.length === 1 ? collection[0] : collection,
    max_results: max,
    min_score: minScore ?? (follows ? undefined : WORTH_SHOWING),
    config: unlessEmpty(config),
    filters: unlessEmpty(filters),
  }
}

const unlessEmpty = <T extends object>(options: T): T | undefined =>
  Object.values(options).some((value) => value !== undefined) ? options : undefined

function entity(text: string, before: { [kind: string]: string[] } = {}): { [kind: string]: string[] } {
  const [, kind, name] = /^([a-z]+)=(.+)$/.exec(text) ?? []
  if (!kind || !name) throw new InvalidArgumentError('It must look like people=Ada Lovelace.')
  return { ...before, [kind]: [...(before[kind] ?? []), name.trim()] }
}
