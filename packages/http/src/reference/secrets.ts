import type { OpenApiOperation } from '@medialog/contract/http'

/** What a caller proves itself with. */
export interface Secret {
  /** The header that it goes into, behind the prefix. */
  header: string
  prefix: string
  /** Its variable in a shell. */
  variable: string
  /** Its input on the page. */
  input: string
}

const KEY = { variable: 'MEDIALOG_API_KEY', input: 'api-key' }
const TOKEN = { variable: 'MEDIALOG_OPERATOR_TOKEN', input: 'operator-token' }

/** By security scheme. */
const SECRETS: ReadonlyMap<string, Secret> = new Map(
  Object.entries<Secret>({
    apiKey: { ...KEY, header: 'X-Api-Key', prefix: '' },
    operatorToken: { ...TOKEN, header: 'X-Operator-Token', prefix: '' },
    operatorBearer: { ...TOKEN, header: 'Authorization', prefix: 'Bearer ' },
  }),
)

/** What an operation's caller needs; none where it is open to all. */
export const secretsOf = ({ security }: Pick<OpenApiOperation, 'security'>): Secret[] =>
  security.flatMap((schemes) => Object.keys(schemes)).map((scheme) => SECRETS.get(scheme)!)
