import { createBackground, type EventStore, type Publishing } from '@medialog/application'
import type { Logger } from 'pino'
import { does, type Config } from './config.ts'

/** Publishes to Kafka where a broker is configured and the process is to; its libraries are loaded only then. */
export async function startConfiguredPublishing(
  config: Config,
  log: EventStore,
  logger: Logger,
): Promise<Publishing & { close(): Promise<void> }> {
  const settings = does(config, 'publisher') ? config.kafka : null
  if (!settings)
    return { status: async () => null, check: async () => undefined, close: async () => undefined }
  const { createKafkaPublisher, startPublishing } = await import('@medialog/messaging')
  return startPublishing({
    log,
    publisher: createKafkaPublisher(settings, logger),
    background: createBackground((err, attempt) =>
      logger.warn({ err, attempt }, 'publishing failed and is tried again'),
    ),
    source: `/medialog/${settings.publisher}`,
    onStopped: (err) => logger.error({ err }, 'publishing has stopped'),
  })
}
