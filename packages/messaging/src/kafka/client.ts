import { EngineUnavailable, nodeTls } from '@medialog/application/ports'
import { explain } from '@medialog/kernel'
import { Kafka, logLevel, type RetryOptions, type SASLOptions } from 'kafkajs'
import type { KafkaSettings } from './settings.ts'

/**
 * Between two transactions the broker is busy with the markers of the first for some milliseconds and says so: a first
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
    // What it tells of are its own retries; what they come to is told by whoever called.
    logCreator:
      () =>
      ({ log: { message, ...details } }) =>
        logger.debug(details, `kafkajs: ${message}`),
  })
}

/** Errors of the client as what they mean to the service. */
export async function asEngine<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof EngineUnavailable) throw error
    throw new EngineUnavailable('kafka', `Kafka: ${explain(error)}`, { cause: error })
  }
}
