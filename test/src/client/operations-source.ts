import { compile, type JSONSchema } from 'json-schema-to-typescript'
import { format, type FormatConfig } from 'oxfmt'
import formatting from '../../../.oxfmtrc.json' with { type: 'json' }
import { clientContract, type ClientContract, type ClientOperation } from './client-contract.ts'

const HEAD = `// Made from the contract by \`npm run contract\`: not to be changed by hand.
import type { Declared } from './declared.ts'
import type { FileSource } from './file-source.ts'
`

/** The source of `packages/client/src/operations.ts`: types of the contract, and what requests are made of. */
export async function operationsSource(): Promise<string> {
  const { definitions, operations, codes } = clientContract()
  const source = [
    HEAD,
    await typesOf(definitions),
    `/** Every code that the service refuses with. */
    export type ErrorCode = ${codes.map((code) => `'${code}'`).join(' | ')}`,
    interfaceOf(operations),
    tableOf(operations),
    `export type OperationId = keyof typeof operations`,
  ]
  const { code, errors } = await format('operations.ts', source.join('\n\n'), formatting as FormatConfig)
  if (errors.length > 0) throw new Error(JSON.stringify(errors))
  return code
}

async function typesOf($defs: ClientContract['definitions']): Promise<string> {
  const whole = { $defs, type: 'object', additionalProperties: false } as JSONSchema
  const source = await compile(whole, ROOT, {
    additionalProperties: false,
    bannerComment: '',
    format: false,
    ignoreMinAndMaxItems: true,
    unreachableDefinitions: true,
  })
  return source
    .replace(`export interface ${ROOT} {\n\n}\n`, '')
    .replaceAll(/^ \* This (?:interface|type) was referenced by .*\n \* via the .*\n(?: \* \n)?/gm, '')
    .replaceAll(/^\/\*\*\n \*\/\n/gm, '')
}

const ROOT = 'NothingOfItself'

function interfaceOf(operations: readonly ClientOperation[]): string {
  const members = operations.map(({ id, summary, description, input, data, declared: { entries } }) => {
    const told = `/** ${summary}.${description ? ` ${description}` : ''} */`
    const entry = typeof entries === 'string' ? `entry: ${data}['${entries}'][number]` : ''
    return `${told}\n${id}: { input: ${input}\n${data ? `data: ${data}` : ''}\n${entry}\n}`
  })
  return `/** What goes into each operation and what comes out of it. */\nexport interface Operations {${members.join('\n')}}`
}

function tableOf(operations: readonly ClientOperation[]): string {
  const rows = operations.map(({ id, declared }) => `${id}: ${JSON.stringify(declared)}`)
  return `export const operations = {${rows.join(',\n')}} as const satisfies { readonly [id: string]: Declared }`
}
