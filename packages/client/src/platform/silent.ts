import { Unreachable } from '../errors.ts'
import type { Exchange } from './transport.ts'

/** The error of a connection that was silent for too long. */
export const silent = ({ url, timeoutMs }: Pick<Exchange, 'url' | 'timeoutMs'>): Unreachable =>
  new Unreachable('silent', `${url.origin} gave no answer within ${timeoutMs / 1000} s.`)
