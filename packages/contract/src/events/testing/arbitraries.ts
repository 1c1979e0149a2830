import {
  CAPABILITIES,
  JOB_ERROR_CODES,
  TIERS,
  WEBHOOK_DISABLED_REASONS,
  type ChargeLine,
  type DomainEvent,
  type IngestRecord,
} from '@medialog/domain'
import { MEDIA_TYPES, type Json } from '@medialog/kernel'
import fc from 'fast-check'

type EventNamed<Type extends DomainEvent['type']> = Extract<DomainEvent, { type: Type }>

/** Plain objects, as parsing makes them. */
const record = <T extends object>(model: { [Field in keyof T]: fc.Arbitrary<T[Field]> }): fc.Arbitrary<T> =>
  // oxlint-disable-next-line typescript/no-unnecessary-type-assertion -- the compiler cannot see that no field is optional
  fc.record(model, { noNullPrototype: true }) as unknown as fc.Arbitrary<T>

const uuid = fc.uuid()
const instant = fc.nat({ max: 4_102_444_800_000 })
const text = fc.string({ unit: 'grapheme', maxLength: 20 })
const count = fc.nat()
const money = fc.bigInt({ min: 0n, max: 10n ** 24n })
const sha256 = fc.stringMatching(/^[0-9a-f]{64}$/)
const name = fc.stringMatching(/^[a-z][a-z.]{0,8}$/)
const nullable = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary)

const place = record({ collection: name, generation: count })
const stay = record({ from: instant, mediaType: fc.constantFrom(...MEDIA_TYPES), placeId: nullable(uuid) })
const life = record({
  createdAt: nullable(instant),
  until: instant,
  stays: fc.array(stay, { maxLength: 2 }),
})
const lines: fc.Arbitrary<ChargeLine[]> = fc.array(record({ price: name, amount: money }), {
  maxLength: 4,
})
const cause = fc.record(
  { operation: name, requestId: uuid, requestStream: uuid, jobId: uuid, batchId: uuid, mediaId: uuid },
  { requiredKeys: ['operation'], noNullPrototype: true },
)
const job = record({
  jobId: uuid,
  mediaId: uuid,
  stagedId: uuid,
  filename: text,
  mediaType: fc.constantFrom(...MEDIA_TYPES),
  sizeBytes: count,
  sha256,
  duplicate: fc.boolean(),
})
const names = fc.array(record({ jobId: uuid, filename: text }), { maxLength: 3 })
const ingest: { [Field in keyof IngestRecord]: fc.Arbitrary<IngestRecord[Field]> } = {
  ingestId: uuid,
  jobId: uuid,
  mediaType: fc.constantFrom(...MEDIA_TYPES),
  format: name,
  filename: text,
  sizeBytes: count,
  sha256,
  artifacts: fc.dictionary(name, record({ sha256, size: count }), { noNullPrototype: true }),
  vectorCount: record({ hd: count, ld: count }),
  embedder: text,
  enricher: text,
  durationMs: count,
  at: instant,
}
const ingests = fc.array(
  record({
    mediaId: uuid,
    ingestId: uuid,
    mediaType: fc.constantFrom(...MEDIA_TYPES),
    sha256,
    artifacts: fc.dictionary(name, sha256, { noNullPrototype: true }),
  }),
  { maxLength: 3 },
)
/** As JSON has it: the text of -0 is 0. */
const json = fc.json({ maxDepth: 2 }).map((text) => JSON.parse(text) as Json)
const answer = fc.dictionary(name, json, { noNullPrototype: true })

/** Any event of each type, for tests of whatever stores or reads events. */
export const anyEvent: { [Type in DomainEvent['type']]: fc.Arbitrary<EventNamed<Type>> } = {
  AccountOpened: event('AccountOpened', {
    accountId: uuid,
    name: text,
    tier: fc.constantFrom(...TIERS),
    at: instant,
  }),
  TierChanged: event('TierChanged', { tier: fc.constantFrom(...TIERS) }),
  AccountSuspended: event('AccountSuspended', {}),
  AccountReinstated: event('AccountReinstated', {}),
  AccountClosed: event('AccountClosed', {}),
  AccountErased: event('AccountErased', { tier: fc.constantFrom(...TIERS), openedAt: instant }),
  ApiKeyIssued: event('ApiKeyIssued', {
    keyId: name,
    label: text,
    digest: sha256,
    capabilities: fc.subarray([...CAPABILITIES]),
    expiresAt: nullable(instant),
    at: instant,
  }),
  ApiKeyRotated: event('ApiKeyRotated', { keyId: name, digest: sha256, oldValidUntil: instant }),
  ApiKeyRevoked: event('ApiKeyRevoked', { keyId: name }),

  BalanceCredited: event('BalanceCredited', {
    creditId: text,
    amount: money,
    reference: nullable(text),
    at: instant,
  }),
  BalanceCharged: event('BalanceCharged', { chargeId: text, amount: money, lines, cause, at: instant }),
  ChargeSettled: event('ChargeSettled', { chargeId: text, at: instant }),
  BalanceRefunded: event('BalanceRefunded', {
    refundId: text,
    chargeId: text,
    amount: money,
    lines,
    reason: text,
    at: instant,
  }),
  BooksClosed: event('BooksClosed', {
    month: fc.stringMatching(/^20[0-9]{2}-(0[1-9]|1[0-2])$/),
    balance: money,
    totals: record({ credited: money, charged: money, refunded: money }),
    openCharges: fc.array(
      fc.record(
        { chargeId: text, amount: money, rest: lines, refundIds: fc.array(text, { maxLength: 4 }) },
        { requiredKeys: ['chargeId', 'amount', 'rest'], noNullPrototype: true },
      ),
      { maxLength: 4 },
    ),
  }),

  LedgerClosed: event('LedgerClosed', { balance: money, at: instant }),

  IngestClaimed: event('IngestClaimed', {
    accountId: uuid,
    ingestId: uuid,
    jobId: uuid,
    batchId: nullable(uuid),
    sha256,
    at: instant,
  }),
  IngestReleased: event('IngestReleased', {
    accountId: uuid,
    ingestId: uuid,
    jobId: uuid,
    reason: text,
    at: instant,
  }),
  MediaIngested: event('MediaIngested', { accountId: uuid, place, ...ingest }),
  MediaOverwritten: event('MediaOverwritten', {
    accountId: uuid,
    place: nullable(place),
    previousIngestId: uuid,
    ...ingest,
  }),
  MediaReembedded: event('MediaReembedded', {
    accountId: uuid,
    ingestId: uuid,
    embedder: ingest.embedder,
    artifacts: ingest.artifacts,
    at: instant,
  }),
  MediaDeleted: event('MediaDeleted', {
    accountId: uuid,
    ingestId: uuid,
    cause: fc.constantFrom('requested', 'collection-deleted'),
    reason: nullable(text),
    lives: fc.array(life, { maxLength: 2 }),
    at: instant,
  }),

  ItemsMoved: event('ItemsMoved', {
    accountId: uuid,
    place,
    mediaIds: fc.array(uuid, { maxLength: 4 }),
    at: instant,
  }),
  CollectionDeleted: event('CollectionDeleted', { accountId: uuid, place, at: instant }),

  LibraryErased: event('LibraryErased', { accountId: uuid, at: instant }),

  BatchSubmitted: event('BatchSubmitted', {
    accountId: uuid,
    batchId: uuid,
    name: nullable(text),
    collection: nullable(name),
    overwrite: fc.boolean(),
    price: lines,
    jobs: fc.array(job, { maxLength: 3 }),
    at: instant,
  }),
  FilesNamed: event('FilesNamed', { accountId: uuid, names, at: instant }),
  FileNamesErased: event('FileNamesErased', { accountId: uuid, names, at: instant }),
  BatchCreated: event('BatchCreated', { at: instant }),
  BatchRejected: event('BatchRejected', { at: instant }),
  BatchStarted: event('BatchStarted', { at: instant }),
  JobProgressed: event('JobProgressed', {
    jobId: uuid,
    percent: fc.integer({ min: 1, max: 99 }),
    at: instant,
  }),
  JobSucceeded: event('JobSucceeded', {
    jobId: uuid,
    mediaId: uuid,
    tookMs: fc.option(count),
    at: instant,
  }),
  JobSkipped: event('JobSkipped', { jobId: uuid, mediaId: uuid, at: instant }),
  JobFailed: event('JobFailed', {
    jobId: uuid,
    code: fc.constantFrom(...JOB_ERROR_CODES),
    message: text,
    at: instant,
  }),
  BatchCancelled: event('BatchCancelled', { from: fc.constantFrom('created', 'running'), at: instant }),
  BatchCompleted: event('BatchCompleted', { at: instant }),
  BatchFailed: event('BatchFailed', { at: instant }),

  BatchErased: event('BatchErased', { accountId: uuid, price: lines, succeeded: count, at: instant }),

  RequestStarted: event('RequestStarted', {
    accountId: uuid,
    requestId: uuid,
    fingerprint: sha256,
    at: instant,
  }),
  RequestCompleted: event('RequestCompleted', { accountId: uuid, requestId: uuid, answer, at: instant }),
  RequestAbandoned: event('RequestAbandoned', { accountId: uuid, requestId: uuid, at: instant }),
  RequestErased: event('RequestErased', { accountId: uuid, at: instant }),

  LogCheckpointed: event('LogCheckpointed', {
    size: count,
    root: sha256,
    note: text,
    key: text,
    at: instant,
  }),
  SigningKeyReplaced: event('SigningKeyReplaced', { former: text, key: text, note: text, at: instant }),

  WebhookAdded: event('WebhookAdded', {
    accountId: uuid,
    webhookId: uuid,
    secretId: uuid,
    url: text,
    types: fc.array(text, { maxLength: 3 }),
    at: instant,
  }),
  WebhookChanged: event('WebhookChanged', {
    webhookId: uuid,
    url: text,
    types: fc.array(text, { maxLength: 3 }),
    at: instant,
  }),
  WebhookPaused: event('WebhookPaused', { webhookId: uuid, at: instant }),
  WebhookResumed: event('WebhookResumed', { webhookId: uuid, at: instant }),
  WebhookDisabled: event('WebhookDisabled', {
    webhookId: uuid,
    reason: fc.constantFrom(...WEBHOOK_DISABLED_REASONS),
    at: instant,
  }),
  WebhookSecretRotated: event('WebhookSecretRotated', {
    webhookId: uuid,
    secretId: uuid,
    oldValidUntil: instant,
    at: instant,
  }),
  WebhookRewound: event('WebhookRewound', { webhookId: uuid, after: count, at: instant }),
  WebhookTested: event('WebhookTested', { webhookId: uuid, at: instant }),
  DeliveryResent: event('DeliveryResent', { webhookId: uuid, eventId: uuid, at: instant }),
  WebhookRemoved: event('WebhookRemoved', { webhookId: uuid, at: instant }),
  WebhooksErased: event('WebhooksErased', { accountId: uuid, at: instant }),
  ErasureRequested: event('ErasureRequested', {
    accountId: uuid,
    subject: fc.oneof(
      record({ kind: fc.constant('items' as const) }),
      record({ kind: fc.constant('collection' as const), collection: name, generation: count }),
      record({ kind: fc.constant('account' as const) }),
    ),
    ingests,
    at: instant,
  }),
  ErasureExtended: event('ErasureExtended', { accountId: uuid, ingests, at: instant }),
  ErasureCompleted: event('ErasureCompleted', {
    accountId: uuid,
    ingests: count,
    digest: sha256,
    stores: fc.array(
      record({
        store: fc.constantFrom('log' as const, 'artifacts' as const, 'read models' as const),
        how: text,
      }),
      { maxLength: 3 },
    ),
    at: instant,
  }),
}

function event<Type extends DomainEvent['type']>(
  type: Type,
  fields: {
    [Field in Exclude<keyof EventNamed<Type>, 'type'>]: fc.Arbitrary<EventNamed<Type>[Field]>
  },
): fc.Arbitrary<EventNamed<Type>> {
  const model = { type: fc.constant(type), ...fields }
  return record(model) as unknown as fc.Arbitrary<EventNamed<Type>>
}
