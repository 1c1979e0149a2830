import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { publishedEvent } from '@medialog/application/feed/published-event'
import { currentVersion, isMisplaced } from '@medialog/contract'
import { asyncApiDocument } from '@medialog/contract/events/asyncapi'
import { ACCOUNT_SOURCE } from '@medialog/contract/events/cloud-event'
import { PUBLISHED_TYPES, TYPE_PREFIX } from '@medialog/contract/events/published'
import type { DomainEvent } from '@medialog/domain'
import type { JsonObject, RecordedEvent, StreamName } from '@medialog/kernel'
import { toCloudEvent } from '@medialog/messaging/cloud-event'
import { Ajv, type AnySchema } from 'ajv'
import { describe, expect, test } from 'vitest'

const PAGE = new URL('../../../docs/asyncapi.json', import.meta.url)
/** What is stored, in every version that was released. */
const STORED = new URL('../../../packages/contract/samples/', import.meta.url)
/** What was published of it, in every version that was released; never written anew. */
const PUBLISHED = new URL('samples/', import.meta.url)
const WRITES = Boolean(process.env['MEDIALOG_WRITE_EVENTS'])

const document = asyncApiDocument()
const read = (url: URL): unknown => JSON.parse(readFileSync(url, 'utf8'))
const writeAs = (url: URL, value: unknown): void => writeFileSync(url, `${JSON.stringify(value, null, 2)}\n`)

interface Stored {
  type: DomainEvent['type']
  version: number
  data: JsonObject
}
const stored = readdirSync(STORED)
  .map((file) => read(new URL(file, STORED)) as Stored)
  .filter(({ type }) => PUBLISHED_TYPES.includes(type))

/** A stream that has events of the type. */
const streamOf = (type: string): StreamName =>
  (['media', 'library', 'batch', 'ledger'] as const)
    .map((category): StreamName => `${category}-0190d3c2-6f0e-7b1a-9c1d-2f6f5f0a7b12`)
    .find((stream) => !isMisplaced({ type, stream }))!

const recorded = ({ type, version, data }: Stored): RecordedEvent => ({
  id: '0190d3c2-6f0e-7b1a-9c1d-2f6f5f0a7b11',
  type,
  version,
  data,
  stream: streamOf(type),
  revision: 4,
  position: 17,
  prev: '0',
  hash: '1',
  metadata: { timestamp: '2026-11-20T13:00:00.000Z', actor: 'system', accountId: 'a', requestId: 'r' },
})

const ajv = new Ajv({ strict: false, validateFormats: false })
ajv.addSchema(document, 'document')
/** What is wrong, by the part of the document that a pointer names. */
function problems(pointer: string, value: unknown): string {
  const validate = ajv.getSchema(`document#${pointer}`)!
  return validate(value) ? '' : ajv.errorsText(validate.errors)
}

describe('docs/asyncapi.json', () => {
  test('is what is served, made of the schemas as they are now', () => {
    if (WRITES) writeAs(PAGE, document)
    expect(read(PAGE), '`npm run events` writes it anew').toEqual(document)
  })

  test('is AsyncAPI 3.0, by its own schema', () => {
    const schema = createRequire(import.meta.url)('@asyncapi/specs/schemas/3.0.0.json') as AnySchema
    // The schema brings that of JSON Schema itself along.
    const official = new Ajv({ strict: false, validateFormats: false, meta: false, validateSchema: false })
    const isDocument = official.compile(schema)
    expect(isDocument(document), official.errorsText(isDocument.errors)).toBe(true)
    expect(isDocument({ ...document, channels: { account: { address: 7 } } })).toBe(false)
  })

  test('refers only to what it holds', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(
      ([, path]) => path!,
    )
    expect(references.length).toBeGreaterThan(3 * PUBLISHED_TYPES.length)
    for (const path of references)
      expect(
        path.split('/').reduce<unknown>((part, name) => (part as JsonObject | undefined)?.[name], document),
        path,
      ).toBeDefined()
  })

  test('has every published type in the account’s channel, and on one topic', () => {
    const { account, ...topics } = document.channels
    expect(Object.keys(account!.messages)).toEqual(PUBLISHED_TYPES)
    expect(
      Object.values(topics)
        .flatMap(({ messages }) => Object.keys(messages))
        .toSorted(),
    ).toEqual(PUBLISHED_TYPES.map((type) => `${type}OnKafka`).toSorted())
  })
})

describe.each(stored)('$type, stored in version $version', (sample) => {
  const { type } = sample
  const event = recorded(sample)
  const published = publishedEvent(event)!

  test('is published as its schemas say, to the account and to Kafka', () => {
    const cloudEvent = {
      ...published.attributes,
      source: ACCOUNT_SOURCE,
      datacontenttype: 'application/json',
      data: published.data,
    }
    const pointer = `/components/messages/${type}/payload`
    expect(problems(pointer, cloudEvent)).toBe('')
    expect(problems(pointer, { ...cloudEvent, type: `${TYPE_PREFIX}Another` })).not.toBe('')
    expect(problems(pointer, { ...cloudEvent, data: {} })).not.toBe('')
    const { headers, value } = toCloudEvent(event, '/medialog/main')!
    expect(problems('/components/schemas/KafkaHeaders', headers)).toBe('')
    expect(problems(`/components/schemas/${type}`, JSON.parse(value))).toBe('')
  })
})

describe('samples of what was published once', () => {
  const fileOf = (type: DomainEvent['type'], version: number) => `${type}.v${version}.json`
  if (WRITES)
    for (const sample of stored.filter(({ type, version }) => version === currentVersion(type))) {
      const file = new URL(fileOf(sample.type, sample.version), PUBLISHED)
      if (!existsSync(file)) writeAs(file, publishedEvent(recorded(sample))!.data)
    }
  const files = readdirSync(PUBLISHED)

  test('are there of every type as it is published now', () => {
    for (const type of PUBLISHED_TYPES) expect(files).toContain(fileOf(type, currentVersion(type)))
  })

  test.each(files)('%s is still as the schema of its version says', (file) => {
    const [, type, version] = /^(\w+)\.v(\d+)\.json$/.exec(file)!
    const data = read(new URL(file, PUBLISHED)) as JsonObject
    const sample = stored.find((one) => one.type === type && one.version === Number(version))!
    // A later release may add to a payload; what it had, it keeps.
    if (sample.version === currentVersion(sample.type)) {
      expect(problems(`/components/schemas/${type}`, data)).toBe('')
      expect(publishedEvent(recorded(sample))!.data).toMatchObject(data)
    } else expect(publishedEvent(recorded(sample))).not.toBeNull()
  })
})
