import type { DomainEvent } from '@medialog/domain'
import { z } from 'zod'
import { API_VERSION } from '../http/common.ts'
import { cloudEventAttributes, cloudEventOf } from './cloud-event.ts'
import {
  PUBLISHED_TYPES,
  publications,
  TOPICS,
  TYPE_PREFIX,
  type Publication,
  type Topic,
} from './published.ts'

type Schema = z.core.JSONSchema.JSONSchema
type Reference = { $ref: string }
type Messages = { [name: string]: Reference }

interface Channel {
  address: string
  description: string
  servers: Reference[]
  messages: Messages
}

export interface AsyncApi {
  asyncapi: '3.0.0'
  info: object
  defaultContentType: string
  servers: { [name: string]: object }
  channels: { [name: string]: Channel }
  operations: { [name: string]: object }
  components: {
    schemas: { [name: string]: Schema }
    messages: { [name: string]: { name: string } & object }
    securitySchemes: object
  }
}

/** Where the names of topics begin unless a configuration says otherwise. */
const TOPIC_PREFIX = 'medialog'

const TELLS: Record<Topic, string> = {
  media: 'Items and collections.',
  batches: 'Batches and their files.',
  billing: 'Charges, refunds, credits.',
}

/** AsyncAPI 3.0 of all that is published, made from the schemas that it is checked with on its way out. */
export function asyncApiDocument(): AsyncApi {
  const schemas: AsyncApi['components']['schemas'] = {
    CloudEvent: schemaOf(cloudEventOf(z.unknown())),
    KafkaHeaders: schemaOf(z.object(kafkaHeaders())),
  }
  const messages: AsyncApi['components']['messages'] = {}
  for (const type of PUBLISHED_TYPES) {
    const publication = publications[type] as Publication
    schemas[type] = schemaOf(publication.payload)
    messages[type] = accountMessage(type)
    messages[onKafka(type)] = kafkaMessage(type)
  }
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Medialog’s events',
      version: API_VERSION,
      description:
        'What happens to items, collections, batches and money. An account follows its own over HTTP; where a broker is configured, all are published to Kafka.',
      license: { name: 'Apache 2.0' },
    },
    defaultContentType: 'application/json',
    servers: {
      http: {
        host: '{host}',
        protocol: 'http',
        description: 'The service itself.',
        variables: { host: { default: '127.0.0.1:8080' } },
        security: [{ $ref: '#/components/securitySchemes/apiKey' }],
      },
      kafka: {
        host: '{broker}',
        protocol: 'kafka',
        description: 'The broker that KAFKA_BROKERS names.',
        variables: { broker: { default: '127.0.0.1:9092' } },
      },
    },
    channels: {
      account: {
        address: '/v1/events',
        description:
          'The events of one account as server-sent events: the data of each is a CloudEvent, its id a place to go on from.',
        servers: [{ $ref: '#/servers/http' }],
        messages: messagesNamed(PUBLISHED_TYPES),
      },
      ...Object.fromEntries(TOPICS.map((topic) => [topic, topicChannel(topic)])),
    },
    operations: {
      tellAccount: {
        action: 'send',
        channel: { $ref: '#/channels/account' },
        summary: 'Tell an account what happens in it.',
      },
      ...Object.fromEntries(
        TOPICS.map((topic) => [
          `publish${topic[0]!.toUpperCase()}${topic.slice(1)}`,
          { action: 'send', channel: { $ref: `#/channels/${topic}` }, summary: TELLS[topic] },
        ]),
      ),
    },
    components: {
      schemas,
      messages,
      securitySchemes: { apiKey: { type: 'httpApiKey', in: 'header', name: 'X-Api-Key' } },
    },
  }
}

function topicChannel(topic: Topic): Channel {
  const types = PUBLISHED_TYPES.filter((type) => (publications[type] as Publication).topic === topic)
  return {
    address: `${TOPIC_PREFIX}.${topic}`,
    description: TELLS[topic],
    servers: [{ $ref: '#/servers/kafka' }],
    messages: messagesNamed(types.map(onKafka)),
  }
}

const onKafka = (type: DomainEvent['type']): string => `${type}OnKafka`

const messagesNamed = (names: readonly string[]): Messages =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/messages/${name}` }]))

/** In CloudEvents' structured form. */
const accountMessage = (type: DomainEvent['type']) => ({
  name: TYPE_PREFIX + type,
  contentType: 'application/json',
  payload: {
    allOf: [
      { $ref: '#/components/schemas/CloudEvent' },
      { properties: { type: { const: TYPE_PREFIX + type }, data: { $ref: `#/components/schemas/${type}` } } },
    ],
  },
})

/** In CloudEvents' binary form: the attributes are headers. */
const kafkaMessage = (type: DomainEvent['type']) => ({
  name: TYPE_PREFIX + type,
  contentType: 'application/json',
  headers: { $ref: '#/components/schemas/KafkaHeaders' },
  payload: { $ref: `#/components/schemas/${type}` },
  bindings: { kafka: { key: { type: 'string', description: 'The stream, as in `ce_subject`.' } } },
})

const kafkaHeaders = (): z.ZodRawShape => ({
  ...Object.fromEntries(Object.entries(cloudEventAttributes).map(([name, schema]) => [`ce_${name}`, schema])),
  ce_source: z.string().meta({ description: 'The log that it is from.', example: '/medialog/main' }),
  ce_position: z.string().meta({ description: 'Its place in that log.', example: '17' }),
  'content-type': z.literal('application/json'),
})

/** In the dialect that AsyncAPI is written in. */
function schemaOf(schema: z.ZodType): Schema {
  const { $schema: _, ...own } = z.toJSONSchema(schema, { io: 'input', target: 'draft-7' })
  return own
}
