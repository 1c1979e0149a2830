import { request as requestPlainly } from 'node:http'
import { request as requestOverTls } from 'node:https'
import { text } from 'node:stream/consumers'

/** The user, over TLS; a server without TLS does not authenticate. */
export interface AdminIdentity {
  username: string
  password: string
  /** PEM of the authority that certificates are of; null: one that Node trusts. */
  ca: string | null
}

export interface AdminAnswer {
  status: number
  body: string
}

/** Asks one node (`host:port`) over the server's HTTP API. Rejects where it does not answer in time. */
export type Admin = (
  node: string,
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  withinMs: number,
) => Promise<AdminAnswer>

export const adminOf =
  (identity: AdminIdentity | null): Admin =>
  async (node, method, path, withinMs) => {
    const request = identity ? requestOverTls : requestPlainly
    const { promise, resolve, reject } = Promise.withResolvers<AdminAnswer>()
    request(
      `${identity ? 'https' : 'http'}://${node}${path}`,
      {
        method,
        agent: false,
        signal: AbortSignal.timeout(withinMs),
        headers: { accept: 'application/json', 'content-length': 0 },
        ...(identity && { auth: `${identity.username}:${identity.password}` }),
        ...(identity?.ca && { ca: identity.ca }),
      },
      (answer) => {
        text(answer).then((body) => resolve({ status: answer.statusCode!, body }), reject)
      },
    )
      .on('error', reject)
      .end()
    return promise
  }
