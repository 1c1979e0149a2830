import { operations, type Operations, type OperationId } from '@medialog/client'

export type Language = 'curl' | 'typescript' | 'python'

/** A call of the API as one would write it: what it is sent with in the words of the contract. Secrets come from the environment. */
export function codeOf<Id extends OperationId>(
  language: Language,
  id: Id,
  input: Operations[Id]['input'],
  url: string,
): string {
  // What is absent is not sent.
  const given = JSON.parse(JSON.stringify(input)) as Fields
  if (language === 'curl') return curlOf(id, given, url)
  return language === 'typescript' ? typescriptOf(id, given, url) : pythonOf(id, given, url)
}

type Fields = { [name: string]: unknown }

function curlOf(id: OperationId, given: Fields, url: string): string {
  const { method, path, access, ...operation } = operations[id]
  const rest = { ...given }
  const taken = (name: string): string => {
    const value = rest[name]
    delete rest[name]
    return encodeURIComponent(typeof value === 'string' ? value : JSON.stringify(value))
  }
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => taken(name))
  const names: readonly string[] = 'query' in operation ? operation.query : []
  const query = names.filter((name) => name in rest).map((name) => `${name}=${taken(name)}`)
  const { header, variable } = secretOf(access)
  const hasBody = 'body' in operation && operation.body === 'json'
  return [
    'curl',
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    `-H "${header}: $${variable}"`,
    ...(hasBody ? [`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(rest))}`] : []),
    quoted(`${url}${filled}${query.length > 0 ? `?${query.join('&')}` : ''}`),
  ].join(' \\\n  ')
}

/** What the operator's operations take, and what all others do. */
const secretOf = (access: string) =>
  access === 'operator'
    ? {
        header: 'X-Operator-Token',
        variable: 'MEDIALOG_OPERATOR_TOKEN',
        option: 'operatorToken',
        argument: 'operator_token=',
      }
    : { header: 'X-Api-Key', variable: 'MEDIALOG_API_KEY', option: 'apiKey', argument: '' }

/** One word to a shell, whatever is in it. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

function typescriptOf(id: OperationId, given: Fields, url: string): string {
  const { option, variable } = secretOf(operations[id].access)
  return `import { createClient } from '@medialog/client'

const medialog = createClient({ url: ${JSON.stringify(url)}, ${option}: process.env.${variable} })
const data = await medialog.${id}(${JSON.stringify(given, null, 2).replaceAll(/^(\s*)"([A-Za-z_]\w*)":/gm, '$1$2:')})`
}

function pythonOf(id: OperationId, given: Fields, url: string): string {
  const { argument, variable } = secretOf(operations[id].access)
  return `import os
from medialog import Medialog

with Medialog(${JSON.stringify(url)}, ${argument}os.environ["${variable}"]) as medialog:
    data = medialog.${snake(id)}(
${Object.entries(given)
  .map(([name, value]) => `        ${KEYWORDS.has(name) ? `${name}_` : name}=${python(value)},\n`)
  .join('')}    )`
}

const snake = (id: string): string => id.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Words of the language, which the client takes with an underscore. */
const KEYWORDS = new Set(['from'])

/** JSON is Python, except for three words. */
function python(value: unknown): string {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (Array.isArray(value)) return `[${value.map(python).join(', ')}]`
  if (typeof value === 'object')
    return `{${Object.entries(value)
      .map(([name, each]) => `${JSON.stringify(name)}: ${python(each)}`)
      .join(', ')}}`
  return JSON.stringify(value)
}
