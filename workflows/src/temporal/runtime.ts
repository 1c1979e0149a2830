import { DefaultLogger, Runtime, type LogEntry, type Logger } from '@temporalio/worker'

/** Of workers that run steps alone. */
const EXPECTED = 'No workflows registered'

let logger: Logger | null = null

/**
 * What all workers of this process share, set up by the first: warnings go to `onLog`, and signals are the
 * process's own to handle.
 */
export function sharedRuntime(onLog: (entry: LogEntry) => void): Logger {
  if (logger === null) {
    logger = new DefaultLogger('WARN', (entry) => {
      if (!entry.message.startsWith(EXPECTED)) onLog(entry)
    })
    Runtime.install({
      logger,
      shutdownSignals: [],
      telemetryOptions: { logging: { forward: {}, filter: { core: 'WARN', other: 'ERROR' } } },
    })
  }
  return logger
}
