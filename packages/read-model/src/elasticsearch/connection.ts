import { Client, errors, type estypes } from '@elastic/elasticsearch'
import { EngineUnavailable, nodeTls, type EngineTls } from '@medialog/application/ports'

/** A request that takes longer has failed: its connection may hang. */
const REQUEST_TIMEOUT_MS = 30_000
/** Too busy, or a node is on its way out or in. */
const TRY_LATER = new Set([408, 429, 502, 503, 504])

export interface ElasticsearchAddress {
  /** May hold a user and a password. */
  url: string
  /** What `https://` is spoken with, beyond what Node trusts. */
  tls?: EngineTls | null
  apiKey?: string | null
}

/** Connects when first asked. */
export const connectElasticsearch = (
  { url, tls, apiKey }: ElasticsearchAddress,
  requestTimeout = REQUEST_TIMEOUT_MS,
): Client =>
  new Client({
    node: url,
    requestTimeout,
    maxRetries: 1,
    ...(tls && { tls: nodeTls(tls) }),
    ...(apiKey && { auth: { apiKey } }),
  })

/** The server is there, and does not know the user or key, or does not let it do what was asked. */
export class ElasticsearchRefuses extends EngineUnavailable {
  constructor(error: errors.ResponseError) {
    super('elasticsearch', `Elasticsearch refuses the user or key: ${reasonOf(error)}`, { cause: error })
    this.name = 'ElasticsearchRefuses'
  }
}

/** What to throw for an error of a request: an engine that is unavailable, busy or without the index is EngineUnavailable. */
export function failureOf(error: unknown): unknown {
  if (error instanceof errors.ResponseError) {
    const { statusCode } = error
    if (isMissingIndex(error))
      return new EngineUnavailable('elasticsearch', 'The read model is being made.', { cause: error })
    if (typeOf(error) === 'security_exception') return new ElasticsearchRefuses(error)
    if (statusCode === undefined || TRY_LATER.has(statusCode) || statusCode >= 500) return away(error)
    return error
  }
  if (error instanceof SearchFailed) return TRY_LATER.has(error.status) ? away(error) : error
  return error instanceof errors.ElasticsearchClientError ? away(error) : error
}

/** The same port, where a failing request is what `failureOf` says. */
export function unavailableWhenAway<Port extends object>(port: Port): Port {
  const methods = Object.entries(port) as [string, (...of: unknown[]) => unknown][]
  const watched = methods.map(([name, method]) => [
    name,
    (...of: unknown[]): unknown => {
      const answer = method(...of)
      return answer instanceof Promise
        ? answer.catch((error: unknown) => Promise.reject(failureOf(error)))
        : answer
    },
  ])
  return Object.fromEntries(watched) as Port
}

export const statusOf = (error: unknown): number | undefined =>
  error instanceof errors.ResponseError ? error.statusCode : undefined

/** It is there already, or is not as it was any more. */
export const isConflict = (error: unknown): boolean => statusOf(error) === 409

export const isMissingIndex = (error: unknown): boolean =>
  error instanceof errors.ResponseError && typeOf(error) === 'index_not_found_exception'

const said = ({ body }: errors.ResponseError): { type?: string; reason?: string } | undefined =>
  (body as { error?: { type?: string; reason?: string } } | undefined)?.error
const typeOf = (error: errors.ResponseError): string | undefined => said(error)?.type
const reasonOf = (error: errors.ResponseError): string => said(error)?.reason ?? error.message

const away = (error: Error): EngineUnavailable =>
  new EngineUnavailable('elasticsearch', `Elasticsearch is unavailable: ${error.message}`, { cause: error })

/** One search of several failed; the status tells temporary failures from others. */
export class SearchFailed extends Error {
  readonly status: number

  constructor({ error, status }: estypes.ErrorResponseBase) {
    const cause = error.root_cause?.[0] ?? error
    super(
      `${cause.type}: ${cause.reason}${cause['caused_by'] ? ` (${JSON.stringify(cause['caused_by'])})` : ''}`,
    )
    this.name = 'SearchFailed'
    this.status = status
  }
}
