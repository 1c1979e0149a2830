import { MEDIA_TYPES, type MediaType } from '@medialog/kernel'
import type { Cli } from '../cli.ts'
import { UsageError } from '../client/errors.ts'
import { renderAnalysis, renderAnswer, renderGrounds, renderText } from '../render/ai.ts'
import { planFiles, startedIn } from '../upload/plan.ts'
import { choice, collect, examples, ratio, wholeNumber, type Register } from './command.ts'

interface AskOptions {
  item?: string
  collection?: string[]
  stream?: boolean
  context?: string
  system?: string
  maxTokens?: number
  temperature?: number
}

interface AnalyzeOptions {
  system?: string
  type?: MediaType
}

/** `ask` and `analyze`. */
export const registerAsk: Register = (program, run) => {
  program
    .command('ask')
    .description('ask what is stored a question, for 0.01 USD')
    .argument('<question...>', 'what to answer')
    .option('-i, --item <id>', 'from this item alone: doc_…, img_…, vec-…')
    .option('-c, --collection <name>', 'from these collections only; may be given more than once', collect)
    .option('--stream', 'show the answer while it is made')
    .option('--context <text>', 'the conversation so far, by which the question is understood')
    .option('--system <text>', 'instructions for the model')
    .option('--max-tokens <number>', 'longest answer', wholeNumber(1, 4096))
    .option('--temperature <number>', 'from 0 to 1, for models that write', ratio)
    .addHelpText(
      'after',
      examples(
        'ask how fast was the wind when the bridge fell',
        'ask "what are the risks" --item doc_0b0e… --stream',
        'ask "and how deep were they?" --context "We spoke of the girders." --json',
      ),
    )
    .action(run(ask))

  program
    .command('analyze')
    .description('ask one question about a file that is not kept, for 0.03 USD')
    .argument('<file>', 'the file to read')
    .argument('<question...>', 'what to answer')
    .option('--system <text>', 'instructions for the model')
    .addOption(choice('-t, --type <type>', 'what to take it for', MEDIA_TYPES))
    .addHelpText(
      'after',
      examples('analyze report.pdf "what are the results"', 'analyze photo.jpg where was it taken'),
    )
    .action(run(analyze))
}

async function ask(cli: Cli, words: string[], options: AskOptions): Promise<void> {
  const question = {
    query: words.join(' '),
    media_id: options.item === undefined ? undefined : vectorIdOf(options.item),
    collections: options.collection,
    context: options.context,
    system_prompt: options.system,
    max_tokens: options.maxTokens,
    temperature: options.temperature,
  }
  if (!options.stream || cli.asJson) {
    cli.show(await cli.client().ask(question), renderAnswer)
    return
  }
  const { print, look } = cli.terminal
  let open = ''
  for await (const piece of cli.client().askInPieces(question)) {
    if (piece.type === 'done') {
      print([...renderText(open, look), ...renderGrounds(piece.answer, look)])
      continue
    }
    const lines = (open + piece.text).split('\n')
    open = lines.pop()!
    for (const line of lines) print(renderText(line, look))
  }
}

/** The form that questions are asked in, whichever form was given. */
const vectorIdOf = (id: string): string => id.replace(/^[a-z]{3}_/, 'vec-')

async function analyze(cli: Cli, path: string, words: string[], options: AnalyzeOptions): Promise<void> {
  const [file, ...others] = await planFiles([path], startedIn(cli.environment))
  if (!file || others.length > 0) throw new UsageError(`${path} is not one file.`, 'Nothing was sent.')
  const analysis = await cli.client().analyzeFile({
    file: file.path,
    query: words.join(' '),
    system_prompt: options.system,
    media_type: options.type,
    response_format: cli.asJson ? 'json' : 'text',
  })
  cli.show(analysis, renderAnalysis)
}
