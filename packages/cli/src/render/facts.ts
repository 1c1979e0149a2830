import { counted } from '@medialog/kernel'
import type { Entities, FileFacts } from '../client/answers.ts'
import { seconds } from '../terminal/format.ts'
import { clean } from '../terminal/text.ts'

type Say = (value: unknown) => string | null

const number =
  (noun: string): Say =>
  (value) =>
    typeof value === 'number' ? counted(value, noun) : null

/** How each fact of a type is said; one that is not here is not shown. */
const FACTS: { readonly [name: string]: Say } = {
  page_count: number('page'),
  word_count: number('word'),
  dimensions: (value) => size(value),
  color_mode: (value) => clean(value),
  duration: (value) => (typeof value === 'number' ? seconds(value * 1000) : null),
  resolution: (value) => size(value),
  frame_rate: (value) => (typeof value === 'number' ? `${value} fps` : null),
  sample_rate: (value) => (typeof value === 'number' ? `${value} Hz` : null),
  channels: number('channel'),
  vertex_count: (value) => (typeof value === 'number' ? `${value} vertices` : null),
  material_count: number('material'),
}

/** What is known of a file by its type: `2 pages, 341 words`, `640 × 400, RGB`. */
export function factsOf(file: FileFacts): string {
  return Object.entries(FACTS)
    .flatMap(([name, say]) => (file[name] === undefined || file[name] === null ? [] : [say(file[name])]))
    .filter(Boolean)
    .join(', ')
}

/** `640 × 400` of a text as it is, or of an object's numbers in their order. */
function size(value: unknown): string | null {
  if (typeof value === 'string') return clean(value)
  if (typeof value !== 'object' || value === null) return null
  return Object.values(value)
    .filter((side) => typeof side === 'number')
    .map((side) => Number(side.toFixed(3)))
    .join(' × ')
}

export const list = (texts: readonly string[] | undefined): string => (texts ?? []).map(clean).join(', ')

/** Every name of every kind. */
export const names = (entities: Entities | undefined): string =>
  list(
    Object.values(entities ?? {})
      .flat()
      .filter((name) => typeof name === 'string'),
  )
