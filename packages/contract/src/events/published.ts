import type { DomainEvent } from '@medialog/domain'
import type { JsonObject } from '@medialog/kernel'
import { z } from 'zod'
import { batchEvents } from './batch.ts'
import { ledgerEvents } from './ledger.ts'
import { libraryEvents } from './library.ts'
import { mediaEvents } from './media.ts'

export const TOPICS = ['media', 'batches', 'billing'] as const
export type Topic = (typeof TOPICS)[number]

/** Of every event type, as it is told outside. */
export const TYPE_PREFIX = 'medialog.'

/** An event type that leaves the service: on which topic, and with which fields of its payload. */
export interface Publication {
  topic: Topic
  /** Its input side is what is published: JSON, amounts as digits of nano-USD. */
  payload: z.ZodObject
}

const on =
  (topic: Topic) =>
  (payload: z.ZodObject): Publication => ({ topic, payload })
const media = on('media')
const batches = on('batches')
const billing = on('billing')

const { cause } = ledgerEvents.BalanceCharged.shape

/**
 * What becomes of every event type. What is published lies where nobody here can erase it, and is the same however
 * often it is published: so the words of callers that may tell of content (names of files, reasons of deletions) stay in
 * the log, where they are erased with their item.
 */
export const publications = {
  // Digests of keys, names of people: the operator's alone.
  AccountOpened: 'internal',
  TierChanged: 'internal',
  AccountSuspended: 'internal',
  AccountReinstated: 'internal',
  AccountClosed: 'internal',
  AccountErased: 'internal',
  ApiKeyIssued: 'internal',
  ApiKeyRotated: 'internal',
  ApiKeyRevoked: 'internal',

  BalanceCredited: billing(ledgerEvents.BalanceCredited),
  // The stream of a request is made of the caller's Idempotency-Key.
  BalanceCharged: billing(ledgerEvents.BalanceCharged.extend({ cause: cause.omit({ requestStream: true }) })),
  ChargeSettled: billing(ledgerEvents.ChargeSettled),
  BalanceRefunded: billing(ledgerEvents.BalanceRefunded),
  BooksClosed: billing(ledgerEvents.BooksClosed),
  // With the account, of which nothing is published.
  LedgerClosed: 'internal',

  // Steps of the saga, of an item that may never be.
  IngestClaimed: 'internal',
  IngestReleased: 'internal',
  MediaIngested: media(mediaEvents.MediaIngested.omit({ filename: true })),
  MediaOverwritten: media(mediaEvents.MediaOverwritten.omit({ filename: true })),
  MediaReembedded: media(mediaEvents.MediaReembedded),
  // A follower knows since when it was there.
  MediaDeleted: media(mediaEvents.MediaDeleted.omit({ reason: true, lives: true })),
  ItemsMoved: media(libraryEvents.ItemsMoved),
  CollectionDeleted: media(libraryEvents.CollectionDeleted),
  LibraryErased: 'internal',

  // An intent that nobody sees before it is created, with the names of its files.
  BatchSubmitted: 'internal',
  BatchRejected: 'internal',
  BatchCreated: batches(batchEvents.BatchCreated),
  BatchStarted: batches(batchEvents.BatchStarted),
  JobProgressed: batches(batchEvents.JobProgressed),
  JobSucceeded: batches(batchEvents.JobSucceeded),
  JobSkipped: batches(batchEvents.JobSkipped),
  JobFailed: batches(batchEvents.JobFailed),
  BatchCancelled: batches(batchEvents.BatchCancelled),
  BatchCompleted: batches(batchEvents.BatchCompleted),
  BatchFailed: batches(batchEvents.BatchFailed),
  BatchErased: 'internal',

  // Idempotency-Keys, and answers that are kept for them.
  RequestStarted: 'internal',
  RequestCompleted: 'internal',
  RequestAbandoned: 'internal',
  RequestErased: 'internal',

  // Names of files are the account's own.
  FilesNamed: 'internal',
  FileNamesErased: 'internal',

  // The operator's alone: how many events there are of all accounts.
  LogCheckpointed: 'internal',
  SigningKeyReplaced: 'internal',

  // Addresses of the account's own, which may hold what only it is to know.
  WebhookAdded: 'internal',
  WebhookChanged: 'internal',
  WebhookPaused: 'internal',
  WebhookResumed: 'internal',
  WebhookDisabled: 'internal',
  WebhookSecretRotated: 'internal',
  WebhookRewound: 'internal',
  WebhookTested: 'internal',
  DeliveryResent: 'internal',
  WebhookRemoved: 'internal',
  WebhooksErased: 'internal',
  // Receipts are the account's own, and are asked for.
  ErasureRequested: 'internal',
  ErasureExtended: 'internal',
  ErasureCompleted: 'internal',
} satisfies Record<DomainEvent['type'], Publication | 'internal'>

export const PUBLISHED_TYPES = (Object.keys(publications) as DomainEvent['type'][]).filter(
  (type) => publications[type] !== 'internal',
)

/** A pattern of their names, with the prefix or without. */
export const PUBLISHED_TYPE = `(${TYPE_PREFIX.replace('.', '\\.')})?(${PUBLISHED_TYPES.join('|')})`

/** What becomes of events of the type. */
export const publicationOf = (type: DomainEvent['type']): Publication | 'internal' => publications[type]

/** The payload as it is published: the fields of its publication, checked, as JSON. Throws ZodError. */
export function publishedPayload({ payload }: Publication, event: DomainEvent): JsonObject {
  const { type: _, ...fields } = event
  return payload.encode(fields) as JsonObject
}

/** The JSON Schema (2020-12) of what is published. */
export const publishedJsonSchema = ({ payload }: Publication): { [keyword: string]: unknown } =>
  z.toJSONSchema(payload, { io: 'input' })
