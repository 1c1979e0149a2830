import { DefaultLogger, Runtime, type LogEntry, type Logger } from '@temporalio/worker'

let logger: Logger | null = null

/**
 * What all workers of this process share, set up by whoever is the first: warnings go to `onLog`, and signals are the
 * process's own to handle.
 */
export function sharedRuntime(onLog: (entry: LogEntry) => void): Logger {
  if (logger === null) {
    logger = new DefaultLogger('WARN', onLog)
    Runtime.install({
      logger,
      shutdownSignals: [],
      telemetryOptions: { logging: { forward: {}, filter: { core: 'WARN', other: 'ERROR' } } },
    })
  }
  return logger
}
