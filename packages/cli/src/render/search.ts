import { counted, timecode } from '@medialog/kernel'
import type { SearchAnswer, SearchResult, SimilarAnswer, SimilarResult } from '../client/answers.ts'
import { bar } from '../terminal/bar.ts'
import { dollars, percent } from '../terminal/format.ts'
import type { Look, Paint } from '../terminal/look.ts'
import { clean, truncate, truncateMiddle, widthOf, wrap } from '../terminal/text.ts'

const BAR_WIDTH = 10
const INDENT = ' '.repeat(BAR_WIDTH + 2)
const PASSAGE_LINES = 4
const CUT = ' …'

/** The results, best first: a bar for the score, where it is, why it was found, and the passage that matches best. */
export function renderSearch({ results, meta, cost }: SearchAnswer, look: Look): string[] {
  const where = placesOf(meta.collections.searched)
  if (results.length === 0) return [`Nothing found in ${where}. Try other words, or a lower --min-score.`]
  const price = meta.cost ? `, ${dollars(cost)} for ${counted(meta.cost.depth_reached, 'level')}` : ''
  return [
    ...results.flatMap((result) => [...renderResult(result, look), '']),
    look.dim(summary(results.length, meta.stats, where) + price),
  ]
}

/** The same of similar items, group by group where there are groups. */
export function renderSimilar({ results, meta, relationships, cost }: SimilarAnswer, look: Look): string[] {
  const where = placesOf(meta.collections.searched)
  if (results.length === 0)
    return [`Nothing similar in ${where}. Try a lower --min-score. ${look.dim(dollars(cost))}`]
  const groups = relationships?.clusters.clusters ?? { '': results.map(({ media_id: id }) => id) }
  const byId = new Map(results.map((result) => [result.media_id, result]))
  return [
    ...Object.entries(groups).flatMap(([name, members]) => [
      ...(name ? [look.bold(`${clean(name)}  ${look.dim(counted(members.length, 'item'))}`), ''] : []),
      ...members.flatMap((id) => {
        const result = byId.get(id)
        return result ? [...renderItem(result, look), ''] : []
      }),
    ]),
    look.dim(`${summary(results.length, meta.stats, where)}, ${dollars(cost)}`),
  ]
}

const placesOf = (searched: readonly string[]): string =>
  searched.length === 1 ? clean(searched[0]) : counted(searched.length, 'collection')

function summary(
  shown: number,
  { total_results: total, query_time_ms: time }: SearchAnswer['meta']['stats'],
  where: string,
): string {
  return `${shown < total ? `${shown} of ` : ''}${counted(total, 'result')} in ${where}, ${Math.round(time)} ms`
}

/** A bar and a line that names it, its id, why it was found. */
function renderItem(result: SearchResult | SimilarResult, look: Look): string[] {
  const { score } = result
  const paint = score >= 0.6 ? look.good : score >= 0.35 ? look.warn : look.dim
  return [
    ...headOf(result, paint, look),
    ...wrap(clean(result.relevance_explanation), roomOf(look)).map((line) => INDENT + look.dim(line)),
  ]
}

const roomOf = (look: Look): number => Math.min(look.width, 110) - INDENT.length

function renderResult(result: SearchResult, look: Look): string[] {
  const body = result.passage?.text || result.metadata.search_metadata.summary
  const time = result.passage?.time
  const lines = wrap(
    `${time ? `at ${timecode(time.start)}: ` : ''}${clean(body)}`,
    roomOf(look) - '│ '.length - CUT.length,
  )
  const shown = lines.slice(0, PASSAGE_LINES)
  if (lines.length > PASSAGE_LINES) shown[PASSAGE_LINES - 1] += CUT
  return [
    ...renderItem(result, look),
    ...shown.map((line) => `${INDENT}${look.dim('│')} ${line}`),
    ...(result.cross_modal_connections ?? []).flatMap((connection) => {
      const { target_id: id, target_modality: type, relationship_type: why } = connection
      const text = `↔ ${clean(type)} ${clean(id)}: ${clean(why)}`
      return wrap(text, roomOf(look)).map((line) => INDENT + look.dim(line))
    }),
  ]
}

/** Score, name and id; type and collection beside the name where there is room, else below it. */
function headOf(
  { score, metadata, media_type: type, collection, media_id: id }: SearchResult | SimilarResult,
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
