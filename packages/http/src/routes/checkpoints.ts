import { counted } from '@medialog/kernel'
import type { EventProofs } from '@medialog/contract/http'
import type { z } from 'zod'
import { Refusal } from '../answers/refusal.ts'
import { requestContext } from '../exchange.ts'
import type { HttpOptions } from '../options.ts'
import type { Handlers } from '../route.ts'

type CheckpointHandlers = Handlers<
  'makeCheckpoint' | 'readEventProofs' | 'readConsistencyProof' | 'readCheckpointKey'
>

export function checkpointHandlers({ application: { operator } }: HttpOptions): CheckpointHandlers {
  return {
    async makeCheckpoint({ ctx }) {
      const { size, root, note, key } = await operator.checkpoint(requestContext(ctx.state.exchange))
      return { message: `${counted(size, 'event')} under one signature.`, data: { size, root, note, key } }
    },

    async readEventProofs({ ctx, query: { subject } }) {
      const found = await operator.proveEvents(requestContext(ctx.state.exchange), subject)
      if (!found)
        throw new Refusal('RESOURCE_NOT_FOUND', 'There is no such event, nor an item with events.', {
          resource_type: 'event',
          resource_id: subject,
        })
      const data = { ...found } as unknown as z.input<typeof EventProofs>
      return { message: `${counted(found.proofs.length, 'event')} proven.`, data }
    },

    async readConsistencyProof({ query: { from, to } }) {
      const hashes = await operator.proveConsistency(from, to)
      return { message: 'The earlier is the beginning of the later.', data: { from, to, hashes } }
    },

    async readCheckpointKey() {
      const { current, former, handovers } = await operator.checkpointKeys()
      return {
        message: 'The public keys of this log.',
        data: { key: current, former_keys: former, handovers },
      }
    },
  }
}
