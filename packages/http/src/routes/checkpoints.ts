import { counted } from '@medialog/kernel'
import type { EventProofs, LedgerProof } from '@medialog/application'
import type { EventProofs as EventProofsView, LedgerProofHead } from '@medialog/contract/http'
import type { z } from 'zod'
import { Refusal } from '../answers/refusal.ts'
import { answerWithText } from '../answers/text-stream.ts'
import { accountOf, requestContext, type EdgeContext } from '../exchange.ts'
import type { HttpOptionsOf } from '../options.ts'
import type { Handlers } from '../route.ts'

type CheckpointHandlers = Handlers<
  | 'makeCheckpoint'
  | 'readEventProofs'
  | 'readOwnEventProofs'
  | 'readLedgerProof'
  | 'readAccountLedgerProof'
  | 'readConsistencyProof'
  | 'readCheckpointKey'
>

export function checkpointHandlers({ application: { audit } }: HttpOptionsOf<'audit'>): CheckpointHandlers {
  function answerProofs(found: EventProofs | null, subject: string) {
    if (!found)
      throw new Refusal('RESOURCE_NOT_FOUND', 'There is no such event, nor an item with events.', {
        resource_type: 'event',
        resource_id: subject,
      })
    const data = { ...found } as unknown as z.input<typeof EventProofsView>
    return { message: `${counted(found.proofs.length, 'event')} proven.`, data }
  }

  async function answerLedger(ctx: EdgeContext, proof: LedgerProof | null) {
    if (!proof)
      throw new Refusal('RESOURCE_NOT_FOUND', 'Nothing was posted yet.', { resource_type: 'ledger' })
    ctx.set('Content-Disposition', 'attachment; filename="medialog-ledger.ndjson"')
    await answerWithText(ctx, 'application/x-ndjson', linesOf(proof))
    return undefined
  }

  return {
    async makeCheckpoint({ ctx }) {
      const { size, root, note, key } = await audit.checkpoint(requestContext(ctx.state.exchange))
      return { message: `${counted(size, 'event')} under one signature.`, data: { size, root, note, key } }
    },

    readEventProofs: async ({ ctx, query: { subject } }) =>
      answerProofs(await audit.proveEvents(requestContext(ctx.state.exchange), subject), subject),

    readOwnEventProofs: async ({ ctx, query: { subject } }) =>
      answerProofs(await audit.proveOwnEvents(requestContext(ctx.state.exchange), subject), subject),

    readLedgerProof: async ({ ctx, query: { since } }) =>
      answerLedger(ctx, await audit.proveLedger(accountOf(ctx), since)),

    readAccountLedgerProof: async ({ ctx, query: { since }, params }) =>
      answerLedger(ctx, await audit.proveLedger(params.account_id, since)),

    async readConsistencyProof({ query: { from, to } }) {
      const hashes = await audit.proveConsistency(from, to)
      return { message: 'The earlier is the beginning of the later.', data: { from, to, hashes } }
    },

    async readCheckpointKey() {
      const { current, former, handovers } = await audit.checkpointKeys()
      return {
        message: 'The public keys of this log.',
        data: { key: current, former_keys: former, handovers },
      }
    },
  }
}

async function* linesOf({
  accountId,
  stream,
  checkpoint,
  key,
  head,
  consistency,
  events,
}: LedgerProof): AsyncGenerator<string, void> {
  const ledger: z.input<typeof LedgerProofHead> = {
    format: 'medialog ledger proof 1',
    account_id: accountId,
    stream,
    events: head.leaf.revision + 1,
    checkpoint,
    key,
    head,
    consistency,
  }
  yield `${JSON.stringify({ ledger })}\n`
  // An event's position in the log of all accounts is not part of a ledger's proof.
  for await (const { position: _, ...event } of events()) yield `${JSON.stringify({ event })}\n`
}
