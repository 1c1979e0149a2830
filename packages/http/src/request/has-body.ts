import type { IncomingMessage } from 'node:http'

/**
 * Whether the request says that it has a body, of no bytes maybe. Without either header it has none (RFC 9112, section 6.3),
 * and its stream has ended before anybody reads it: see `optimizeEmptyRequests` of Node's server.
 */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
