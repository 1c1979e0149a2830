import type { SearchAnswer, SearchResult } from '../client/answers.ts'
import { bar } from '../terminal/bar.ts'
import { count, percent } from '../terminal/format.ts'
import type { Look } from '../terminal/look.ts'
import { clean, wrap } from '../terminal/text.ts'

const BAR_WIDTH = 10
const INDENT = ' '.repeat(BAR_WIDTH + 2)
const PASSAGE_LINES = 4

/** The results, best first: a bar for the score, where it is, why it was found, and the passage that matches best. */
export function renderSearch({ results, meta }: SearchAnswer, look: Look): string[] {
  const { total_results: total, query_time_ms: time } = meta.stats
  const searched = meta.collections.searched
  const where = searched.length === 1 ? clean(searched[0]) : count(searched.length, 'collection')
  const footer = `${results.length < total ? `${results.length} of ` : ''}${count(total, 'result')} in ${where}, ${Math.round(time)} ms`
  if (results.length === 0) return [`Nothing found in ${where}. Try other words, or a lower --min-score.`]
  return [...results.flatMap((result) => [...renderResult(result, look), '']), look.dim(footer)]
}

function renderResult(result: SearchResult, look: Look): string[] {
  const width = Math.min(look.width, 110) - INDENT.length
  const { score, passage } = result
  const paint = score >= 0.6 ? look.good : score >= 0.35 ? look.warn : look.dim
  const body = passage?.text || result.metadata.search_metadata.summary
  const lines = wrap(clean(body), width - 2)
  const shown = lines.slice(0, PASSAGE_LINES)
  if (lines.length > PASSAGE_LINES) shown[PASSAGE_LINES - 1] += ' …'
  return [
    `${paint(bar(score, BAR_WIDTH))}  ${look.bold(clean(result.metadata.file_info.filename))}  ${percent(score)}  ${look.dim(`${clean(result.media_type)} in ${clean(result.collection)}`)}`,
    `${INDENT}${look.accent(clean(result.media_id))}`,
    ...wrap(clean(result.relevance_explanation), width).map((line) => INDENT + look.dim(line)),
    ...shown.map((line) => `${INDENT}${look.dim('│')} ${line}`),
  ]
}
