import { SASL_MECHANISMS, type KafkaSettings } from '@medialog/messaging/kafka/settings'
import { z } from 'zod'
import { HOST_AND_PORT, InvalidConfiguration, integer, parsed, switched } from './config-values.ts'
import { readTlsSettings, tlsVariables } from './tls-settings.ts'

const DAY_MS = 86_400_000

/** `127.0.0.1:9092,broker-2:9092`; `[::1]:9092` too. */
const brokers = z.string().transform((value, context) => {
  const named = value.split(',').map((broker) => broker.trim())
  const wrong = named.find((broker) => !HOST_AND_PORT.test(broker))
  if (wrong === undefined) return named
  context.addIssue({ code: 'custom', message: `must read like broker-1:9092,broker-2:9092, not '${wrong}'` })
  return z.NEVER
})

/** As Kafka allows in names of topics, and as goes into the source of a CloudEvent as it is. */
const name = z.string().regex(/^[A-Za-z0-9][\w.-]{0,99}$/, {
  error: 'must be letters, digits, dots, underscores and hyphens, 100 at most',
})

const Settings = z.object({
  KAFKA_BROKERS: brokers,
  KAFKA_TOPIC_PREFIX: name.default('medialog'),
  KAFKA_PUBLISHER: name.default('main'),
  KAFKA_PARTITIONS: integer(1, 10_000).default(6),
  KAFKA_REPLICATION: integer(1, 100).optional(),
  KAFKA_RETENTION_DAYS: integer(1, 36_500).default(30),
  KAFKA_TLS: switched,
  KAFKA_SASL_MECHANISM: z
    .enum(SASL_MECHANISMS, { error: `must be one of ${SASL_MECHANISMS.join(', ')}` })
    .optional(),
  KAFKA_SASL_USERNAME: z.string().optional(),
  KAFKA_SASL_PASSWORD: z.string().optional(),
})

export const KAFKA_VARIABLES = [...Object.keys(Settings.shape), ...tlsVariables('KAFKA')]

/** Null where no broker is named. @throws InvalidConfiguration */
export function readKafkaSettings(environment: Record<string, string | undefined>): KafkaSettings | null {
  // Without a broker, what other programs of this machine call their settings is none of our business.
  if (environment['KAFKA_BROKERS'] === undefined) return null
  const settings = parsed(Settings, environment)
  return {
    brokers: settings.KAFKA_BROKERS,
    prefix: settings.KAFKA_TOPIC_PREFIX,
    publisher: settings.KAFKA_PUBLISHER,
    partitions: settings.KAFKA_PARTITIONS,
    replication: settings.KAFKA_REPLICATION ?? null,
    retentionMs: settings.KAFKA_RETENTION_DAYS * DAY_MS,
    tls: readTlsSettings(environment, {
      engine: 'KAFKA',
      isOn: settings.KAFKA_TLS,
      turnedOnBy: 'KAFKA_TLS=true',
    }),
    sasl: saslOf(settings),
  }
}

function saslOf(settings: z.output<typeof Settings>): KafkaSettings['sasl'] {
  const {
    KAFKA_SASL_MECHANISM: mechanism,
    KAFKA_SASL_USERNAME: username,
    KAFKA_SASL_PASSWORD: password,
  } = settings
  if (mechanism === undefined && username === undefined && password === undefined) return null
  if (mechanism === undefined || username === undefined || password === undefined)
    throw new InvalidConfiguration(
      'KAFKA_SASL_MECHANISM, KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD go together: set all of them or none.',
    )
  return { mechanism, username, password }
}
