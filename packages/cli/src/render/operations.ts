import type { Operation } from '../client/answers.ts'
import { localTime, percent, seconds } from '../terminal/format.ts'
import type { Look } from '../terminal/look.ts'
import { pairs, table } from '../terminal/table.ts'
import { clean } from '../terminal/text.ts'

export function renderOperations(operations: readonly Operation[], look: Look): string[] {
  if (operations.length === 0) return ['No operation was started since the server did.']
  return table(
    operations,
    [
      { title: 'OPERATION', value: ({ operation_id: id }) => clean(id), paint: (_, { accent }) => accent },
      { title: 'KIND', value: ({ kind }) => clean(kind), shrinks: 'middle' },
      { title: 'OF', value: parametersOf, shrinks: 'end', drops: true },
      {
        title: 'STATUS',
        value: ({ status }) => clean(status),
        paint: ({ status }, look) => paintOf(status, look),
      },
      { title: 'DONE', value: ({ progress }) => percent(progress.ratio), align: 'right', drops: true },
      {
        title: 'STARTED',
        value: ({ started_at: at }) => localTime(at),
        drops: true,
        paint: (_, { dim }) => dim,
      },
    ],
    look,
  )
}

export function renderOperation(operation: Operation, look: Look): string[] {
  const { status, progress, result, error } = operation
  const entries: [string, string][] = [
    ['operation', look.accent(clean(operation.operation_id))],
    ['status', paintOf(status, look)(clean(status))],
  ]
  if (status === 'running')
    entries.push(['progress', `${percent(progress.ratio)}, ${clean(progress.message)}`])
  if (operation.ended_at)
    entries.push(['took', seconds(Date.parse(operation.ended_at) - Date.parse(operation.started_at))])
  for (const [name, value] of resultEntries(result ?? {}))
    if (name !== 'seconds' && name !== 'findings')
      entries.push([clean(name.replaceAll('_', ' ')), resultValue(value, look)])
  if (error) entries.push(['error', look.bad(clean(error))])
  return [
    look.bold(`${clean(operation.kind)} ${parametersOf(operation)}`.trim()),
    ...pairs(entries, look),
    ...renderFindings(result?.findings, look),
  ]
}

/** What a proof found, a line each. */
function renderFindings(findings: unknown, look: Look): string[] {
  if (!Array.isArray(findings)) return []
  return (findings as { [name: string]: unknown }[]).map(({ what, position, stream, revision, reason }) => {
    const within =
      stream === null ? '' : `${revision === null ? '' : `revision ${clean(revision)} of `}${clean(stream)}`
    const place = [position === null ? '' : `position ${clean(position)}`, within].filter(Boolean).join(', ')
    return `${look.bad(clean(what ?? 'bad'))} ${place && `${place}: `}${clean(reason)}`
  })
}

/** Names; whole documents are left out. */
const parametersOf = ({ parameters }: Operation): string =>
  Object.values(parameters ?? {})
    .map((parameter) => (typeof parameter === 'string' && parameter.includes('\n') ? '' : clean(parameter)))
    .join(' ')
    .trim()

const paintOf = (status: string, look: Look) =>
  status === 'succeeded' ? look.good : status === 'failed' ? look.bad : look.warn

interface Place {
  name: string
  outcome: string
  said: string
}

const isPlaces = (name: string, value: unknown): value is Place[] => name === 'places' && Array.isArray(value)

interface Verified {
  read_model: string
  identical: boolean
  digest_in_service?: string
  digest_rebuilt?: string
  error?: string
}

const areVerified = (name: string, value: unknown): value is Verified[] =>
  name === 'read_models' && Array.isArray(value)

function verifiedOf({
  identical,
  digest_in_service: served,
  digest_rebuilt: rebuilt,
  error,
}: Verified): string {
  if (error !== undefined) return error
  return identical ? `identical: ${served}` : `${served} is in service, ${rebuilt} is what the log tells`
}

/** What stands in an object under a name is named after both; each place or read model of several stands by itself. */
function resultEntries(result: { readonly [name: string]: unknown }): [string, unknown][] {
  return Object.entries(result).flatMap(([name, value]): [string, unknown][] =>
    isPlaces(name, value)
      ? value.map((place) => [place.name, `${place.outcome}: ${place.said}`])
      : areVerified(name, value)
        ? value.map((one) => [one.read_model, verifiedOf(one)])
        : typeof value === 'object' && value !== null && !Array.isArray(value)
          ? Object.entries(value).map(([inner, of]) => [`${name} ${inner}`, of])
          : [[name, value]],
  )
}

function resultValue(value: unknown, look: Look): string {
  if (value === true) return look.good('yes')
  if (value === false) return look.warn('no')
  if (value === null) return look.dim('none')
  return clean(typeof value === 'object' ? JSON.stringify(value) : value)
}
