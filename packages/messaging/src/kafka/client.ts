import { EngineUnavailable, nodeTls } from '@medialog/application/ports'
import { explain } from '@medialog/kernel'
import { Kafka, logLevel, type RetryOptions, type SASLOptions } from 'kafkajs'
import { quietRequestQueues } from './request-queue.ts'
import type { KafkaSettings } from './settings.ts'

/**
 * Between two transactions the broker is busy with the markers of the first for some milliseconds and reports it: a first
 * pause of 10 makes transactions five times as many a second as one of 100 does. All pauses together take five seconds.
 */
export const RETRY: RetryOptions = {
  initialRetryTime: 10,
  multiplier: 2,
  factor: 0.2,
  retries: 9,
  maxRetryTime: 2_000,
}
const CONNECTING_MS = 3_000
const ANSWERING_MS = 15_000

export interface KafkaLogger {
  debug(details: object, message: string): void
}

export function connectKafka({ brokers, prefix, tls, sasl }: KafkaSettings, logger: KafkaLogger): Kafka {
  quietRequestQueues()
  return new Kafka({
    clientId: prefix,
    brokers: [...brokers],
    ssl: tls === null ? false : nodeTls(tls),
    ...(sasl && { sasl: sasl as SASLOptions }),
    connectionTimeout: CONNECTING_MS,
    authenticationTimeout: CONNECTING_MS,
    requestTimeout: ANSWERING_MS,
    retry: RETRY,
    logLevel: logLevel.WARN,
    // It logs its own retries; the caller reports their outcome.
    logCreator:
      () =>
      ({ log: { message, ...details } }) =>
        logger.debug(details, `kafkajs: ${message}`),
  })
}

/**
 * Errors of the client as what they mean to the service, and an end to what takes longer than `withinMs`: the client
 * repeats what is not answered in time, often and at several levels, and forgets a request that it sends on a connection
 * that just ended. What was begun may still come about; the signal tells the work to go no further.
 */
export async function asEngine<T>(withinMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const late = new AbortController()
  const tooLate = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    const error = new EngineUnavailable('kafka', `Kafka: no answer within ${withinMs / 1000} s.`)
    late.abort(error)
    tooLate.reject(error)
  }, withinMs)
  try {
    return await Promise.race([work(late.signal), tooLate.promise])
  } catch (error) {
    if (error instanceof EngineUnavailable) throw error
    throw new EngineUnavailable('kafka', `Kafka: ${explain(error)}`, { cause: error })
  } finally {
    clearTimeout(timer)
  }
}
