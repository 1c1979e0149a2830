import { z } from 'zod'
import { accountParams, count, integerText, json, success } from './common.ts'
import { route } from './route.ts'

const note = z.string().meta({
  description: 'A signed note (C2SP tlog-checkpoint): origin, size, root, and an Ed25519 signature.',
})
const key = z.string().meta({
  description: 'A public key as verifiers of signed notes take it.',
  example: 'medialog/5dc9da79a70659a9+8b5fc4a1+AUkd…',
})
const hashes = z.array(z.string()).describe('SHA-256, base64.')
const inclusion = hashes.describe('Inclusion proof (RFC 9162, 2.1.3), from the leaf upwards.')
const leaf = z.strictObject({ position: count, stream: z.string(), revision: count, hash: z.string() })
const noQuery = z.strictObject({})

export const Checkpoint = z
  .strictObject({
    size: count.describe('Events that it covers.'),
    root: z.string().describe('Hex.'),
    note,
    key,
  })
  .meta({ id: 'Checkpoint' })

export const EventProofs = z
  .strictObject({
    checkpoint: note,
    key,
    proofs: z.array(
      z.strictObject({
        index: count,
        leaf,
        hashes: inclusion,
        event: z
          .record(z.string(), json)
          .nullable()
          .describe('From which the leaf’s hash can be made; null once it was erased.'),
      }),
    ),
  })
  .meta({ id: 'EventProofs' })

export const ConsistencyProof = z
  .strictObject({ from: count, to: count, hashes: hashes.describe('Consistency proof (RFC 9162, 2.1.4).') })
  .meta({ id: 'ConsistencyProof' })

/** A size of the log, or a position, in a query string. */
const sizeText = integerText(0, 999_999_999_999_999, 'must be a whole number')

const subject = z.string().min(1).max(300).meta({
  description: 'An event by its position (`12345`) or revision (`media-<uuid>@3`), or an item by its id.',
  example: 'doc_0190d3c2-6f0e-5b1a-9c1d-2f6f5f0a7b11',
})

/** The first line of a ledger's proof. */
export const LedgerProofHead = z
  .strictObject({
    format: z.literal('medialog ledger proof 1'),
    account_id: z.string(),
    stream: z.string(),
    events: count.describe('How many lines with an event follow.'),
    checkpoint: note,
    key,
    head: z
      .strictObject({ index: count, leaf, hashes: inclusion })
      .describe('Of the last event: all before it are proven by the chain of hashes.'),
    consistency: z
      .strictObject({ from: count, hashes: hashes.describe('Consistency proof (RFC 9162, 2.1.4).') })
      .nullable()
      .describe('That the checkpoint of that size is the beginning of this one; null if not asked for.'),
  })
  .meta({ id: 'LedgerProofHead' })

/** A line of a ledger's proof. */
const LedgerProofLine = z.union([
  z.strictObject({ ledger: LedgerProofHead }),
  z.strictObject({
    event: z.record(z.string(), json).describe('As it is recorded, with the salt of its digest.'),
  }),
])

const ledgerProof = {
  method: 'get',
  description:
    'All that was posted, as it is recorded, under a signed checkpoint: for a check without the service, see docs/audit.md. A checkpoint contains the number of events of all accounts.',
  query: z.strictObject({
    since: sizeText
      .optional()
      .describe('The size of a checkpoint that was kept: proves that it was continued.'),
  }),
  answer: {
    contentType: 'application/x-ndjson',
    description: 'What proves it, then the events, one a line.',
    line: LedgerProofLine,
  },
  errors: ['ACCOUNT_NOT_FOUND', 'RESOURCE_NOT_FOUND', 'SERVICE_UNAVAILABLE'],
} as const

const answerOf = <D extends z.ZodType>(data: D) => z.strictObject({ ...success, data })
const operator = { tag: 'Operator', access: 'operator' } as const
const account = { tag: 'Account', access: 'read' } as const

/** Proof of the whole log, see docs/audit.md. */
export const checkpointRoutes = {
  makeCheckpoint: route({
    ...operator,
    operationId: 'makeCheckpoint',
    method: 'post',
    path: '/admin/audit/checkpoints',
    summary: 'Sign what the log holds now',
    description: 'The last checkpoint again where nothing came since.',
    query: noQuery,
    answer: answerOf(Checkpoint),
  }),
  readEventProofs: route({
    ...operator,
    operationId: 'readEventProofs',
    method: 'get',
    path: '/admin/audit/proofs',
    summary: 'Prove that events are in the log',
    query: z.strictObject({ subject }),
    answer: answerOf(EventProofs),
    errors: ['RESOURCE_NOT_FOUND'],
  }),
  readOwnEventProofs: route({
    ...account,
    operationId: 'readOwnEventProofs',
    method: 'get',
    path: '/v1/audit/proofs',
    summary: 'Prove that your own events are in the log',
    description: 'Those of items, the ledger, batches, collections and erasures.',
    query: z.strictObject({ subject }),
    answer: answerOf(EventProofs),
    errors: ['RESOURCE_NOT_FOUND'],
  }),
  readLedgerProof: route({
    ...account,
    ...ledgerProof,
    operationId: 'readLedgerProof',
    path: '/v1/audit/ledger/proof',
    summary: 'Your ledger, for a proof without the service',
  }),
  readAccountLedgerProof: route({
    ...operator,
    ...ledgerProof,
    operationId: 'readAccountLedgerProof',
    path: '/admin/accounts/{account_id}/ledger/proof',
    summary: 'Any account’s ledger, for a proof without the service',
    params: accountParams,
  }),
  readConsistencyProof: route({
    ...operator,
    operationId: 'readConsistencyProof',
    method: 'get',
    path: '/admin/audit/consistency',
    summary: 'Prove that one checkpoint is the beginning of another',
    query: z.strictObject({
      from: sizeText.describe('The size of the earlier one.'),
      to: sizeText.describe('The size of the later one.'),
    }),
    answer: answerOf(ConsistencyProof),
  }),
  readCheckpointKey: route({
    tag: 'Service',
    access: 'public',
    operationId: 'readCheckpointKey',
    method: 'get',
    path: '/checkpoint-key',
    summary: 'The public keys that prove checkpoints',
    query: noQuery,
    answer: answerOf(
      z.strictObject({
        key,
        former_keys: z
          .array(key)
          .describe('In use before, oldest first: those that the present one vouches for.'),
        handovers: z
          .array(z.string())
          .describe(
            'Signed notes by which one key followed another, oldest first; signed by both where both were at hand.',
          ),
      }),
    ),
    errors: ['SERVICE_UNAVAILABLE'],
  }),
}
