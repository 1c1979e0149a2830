import { pino, type Logger } from 'pino'
import { requireStart } from './checks/all.ts'
import { does, type Config } from './config.ts'
import { readableStartError } from './embedded/data-folder.ts'
import { follow } from './following.ts'
import { serve } from './serving.ts'
import type { Started, StartOptions } from './started.ts'

export interface Service extends Started {
  /** Finishes what runs, then lets go of everything. */
  close(): Promise<void>
}

/** Brings the process up in the roles that it was told. Resolves when it is ready to serve. */
export async function startService(
  config: Config,
  { adapt = (engines) => engines }: StartOptions = {},
): Promise<Service> {
  const logger = createLogger(config)
  for (const warning of config.warnings) logger.warn(warning)
  const running = new AsyncDisposableStack()
  try {
    await requireStart(config)
    const started =
      does(config, 'api') || does(config, 'worker')
        ? await serve(config, logger, adapt, running)
        : await follow(config, logger, running)
    return { ...started, close: () => running.disposeAsync() }
  } catch (error) {
    await running.disposeAsync()
    throw readable(error, config)
  }
}

/** Lines of a process among several say what it is for. */
function createLogger({ logLevel, roles }: Config): Logger {
  const logger = pino({ level: logLevel }, pino.destination(2))
  return roles === null ? logger : logger.child({ role: roles.join(',') })
}

function readable(error: unknown, { dataFolder, sharedFolder }: Config): unknown {
  const ofShared = sharedFolder === null ? error : readableStartError(error, sharedFolder, 'shared')
  return ofShared === error ? readableStartError(error, dataFolder) : ofShared
}
