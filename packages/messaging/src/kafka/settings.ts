import type { EngineTls } from '@medialog/application/ports'

/** Where and how to publish. */
export interface KafkaSettings {
  brokers: readonly string[]
  /** What the names of topics begin with, and of all else that is named on the cluster. */
  prefix: string
  /** The publisher's name: another log that is published to the same topics has another one. */
  publisher: string
  /** Of topics that are created; those that are there stay as they are. */
  partitions: number
  /** Null: the default of the cluster. */
  replication: number | null
  retentionMs: number
  /** Null: without TLS. */
  tls: EngineTls | null
  sasl: { mechanism: SaslMechanism; username: string; password: string } | null
}

export const SASL_MECHANISMS = ['plain', 'scram-sha-256', 'scram-sha-512'] as const
export type SaslMechanism = (typeof SASL_MECHANISMS)[number]

export const topicName = ({ prefix }: Pick<KafkaSettings, 'prefix'>, topic: string): string =>
  `${prefix}.${topic}`

/** Holds where every publisher of these topics stands. */
export const checkpointTopic = (settings: Pick<KafkaSettings, 'prefix'>): string =>
  topicName(settings, 'checkpoints')
