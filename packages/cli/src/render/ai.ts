import { counted, timecode } from '@medialog/kernel'
import type { AnswerToQuestion, FileAnalysis } from '../client/answers.ts'
import { dollars, seconds } from '../terminal/format.ts'
import type { Look } from '../terminal/look.ts'
import { clean, truncateMiddle, wrap } from '../terminal/text.ts'

const WIDEST = 100
const PASSAGE_LINES = 3

const widthOf = (look: Look): number => Math.min(look.width, WIDEST)

/** Lines of a text whose paragraphs are parted by blank lines. */
export const renderText = (text: string, look: Look): string[] =>
  text.split('\n').flatMap((line) => wrap(clean(line), widthOf(look)))

/** The answer, where it stands, and what it cost. */
export const renderAnswer = (answer: AnswerToQuestion, look: Look): string[] => [
  ...renderText(answer.response, look),
  ...renderGrounds(answer, look),
]

/** What comes below the text of an answer: the passages that it cites, how it was made, and what it cost. */
export function renderGrounds({ sources, billing, request }: AnswerToQuestion, look: Look): string[] {
  const { total_cost: cost, usage } = billing
  return [
    ...sources.flatMap((source, index) => [
      '',
      headOf(source, index + 1, look),
      ...wrap(clean(source.text), widthOf(look) - 4)
        .slice(0, PASSAGE_LINES)
        .map((line) => `    ${look.dim(line)}`),
    ]),
    '',
    ...wrap(clean(request.disclaimer), widthOf(look)).map((line) => look.dim(line)),
    look.dim(
      `${dollars(cost)}, ${counted(usage.context_tokens, 'token')} in and ${usage.response_tokens} out, ${seconds(usage.processing_time_ms)}`,
    ),
  ]
}

/** The number of a passage, the name of its item as far as there is room, its place and its id. */
function headOf(source: AnswerToQuestion['sources'][number], number: number, look: Look): string {
  const at = source.time ? `at ${timecode(source.time.start)}` : `passage ${source.chunk}`
  const [mark, place, id] = [`[${number}]`, at, clean(source.media_id)]
  const room = widthOf(look) - [mark, place, id].join('   ').length
  const name = truncateMiddle(clean(source.title ?? source.filename), Math.max(1, room))
  return `${look.bold(mark)} ${name} ${look.dim(place)} ${look.accent(id)}`
}

export function renderAnalysis({ response, processing_info: info }: FileAnalysis, look: Look): string[] {
  const { content } = response
  return [
    ...renderText(typeof content === 'string' ? content : JSON.stringify(content, null, 2), look),
    '',
    look.dim(`${dollars(info.cost)}, ${seconds(info.processing_time_ms)}; the file was not kept`),
  ]
}
