import type { SearchAnswer, SearchResult } from '../client/answers.ts'
import { bar } from '../terminal/bar.ts'
import { count, percent } from '../terminal/format.ts'
import type { Look, Paint } from '../terminal/look.ts'
import { clean, truncate, truncateMiddle, widthOf, wrap } from '../terminal/text.ts'

const BAR_WIDTH = 10
const INDENT = ' '.repeat(BAR_WIDTH + 2)
const PASSAGE_LINES = 4
const CUT = ' …'

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
  const lines = wrap(clean(body), width - '│ '.length - CUT.length)
  const shown = lines.slice(0, PASSAGE_LINES)
  if (lines.length > PASSAGE_LINES) shown[PASSAGE_LINES - 1] += CUT
  return [
    ...headOf(result, paint, look),
    ...wrap(clean(result.relevance_explanation), width).map((line) => INDENT + look.dim(line)),
    ...shown.map((line) => `${INDENT}${look.dim('│')} ${line}`),
  ]
}

/** Score, name and id; type and collection beside the name where there is room, else below it. */
function headOf(
  { score, metadata, media_type: type, collection, media_id: id }: SearchResult,
  paint: Paint,
  look: Look,
): string[] {
  const said = percent(score)
  const room = look.width - INDENT.length
  const name = truncateMiddle(clean(metadata.file_info.filename), room - said.length - 2)
  const place = `${clean(type)} in ${clean(collection)}`
  const fits = widthOf(name) + said.length + widthOf(place) + 4 <= room
  return [
    `${paint(bar(score, BAR_WIDTH))}  ${look.bold(name)}  ${said}${fits ? `  ${look.dim(place)}` : ''}`,
    ...(fits ? [] : [INDENT + look.dim(truncate(place, room))]),
    `${INDENT}${look.accent(clean(id))}`,
  ]
}
