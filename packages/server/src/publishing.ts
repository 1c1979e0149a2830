import { createBackground, type EventStore, type Publishing } from '@medialog/application'
import type { KafkaSettings } from '@medialog/messaging/kafka/settings'
import type { Logger } from 'pino'

/** Publishes to Kafka; its libraries are loaded only where a broker is configured. */
export async function startConfiguredPublishing(
  settings: KafkaSettings | null,
  log: EventStore,
  logger: Logger,
): Promise<Publishing & { close(): Promise<void> }> {
  if (!settings) return { status: async () => null, close: async () => undefined }
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
