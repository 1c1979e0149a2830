import type { OperationId } from '@medialog/contract/http'
import { addressOf } from './plain-requests.ts'

/** A row with how it is shown, or why it cannot occur; neither until its test has passed. */
export interface ShownRow {
  row: string
  how?: string
  cannot?: string
}
export interface Section {
  title: string
  /** What is said before the table. */
  text: string
  rows: ShownRow[]
  /** Rows begin with an operation's id: shown by endpoint. */
  byOperation?: true
}

const HEAD = `# The contract, row by row

Made by \`npm run contract\` from the tests in \`test/src/contract\`, which send real requests to the service and compare
every answer with \`/openapi.json\`: a row is here because its test passed. The rows are those of the specification
([service.md](specification/service.md), [decisions.md](specification/decisions.md)), and of [the audit](audit.md), which it
leaves open. A port named in a row is made to fail or to answer otherwise, where no request could bring that about.
`

const cell = (text: string): string => text.replaceAll('|', '\\|')
const told = ({ how, cannot }: ShownRow): string =>
  cannot !== undefined ? `cannot occur: ${cannot}` : (how ?? 'NOT SHOWN')

export function contractPage(sections: readonly Section[]): string {
  return [HEAD, ...sections.map(sectionOf)].join('\n')
}

function sectionOf({ title, text, rows, byOperation }: Section): string {
  const head = `## ${title}\n\n${text}\n`
  if (!byOperation)
    return `${head}\n${table(
      ['Row', 'Shown by'],
      rows.map((row) => [row.row, told(row)]),
    )}`
  const operations = new Map<string, ShownRow[]>()
  for (const row of rows) {
    const [operation] = row.row.split(' ') as [string]
    operations.set(operation, [...(operations.get(operation) ?? []), row])
  }
  const tables = [...operations].map(
    ([operation, rows]) =>
      `### \`${addressOf(operation as OperationId)}\`\n\n${table(
        ['', 'Shown by'],
        rows.map((row) => [`\`${row.row.slice(operation.length + 1)}\``, told(row)]),
      )}`,
  )
  return `${head}\n${tables.join('\n')}`
}

const table = (head: string[], rows: string[][]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(cell).join(' | ')} |\n`).join('')
