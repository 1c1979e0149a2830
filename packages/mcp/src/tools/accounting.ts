import { z } from 'zod'
import { tool } from '../tool.ts'

export const history = tool({
  name: 'history',
  title: 'What happened to an item',
  description:
    'Everything that happened to an item, oldest first: how it was stored and by what, what that cost, moves, answers that spoke of it, its deletion. Free.',
  needs: 'read',
  idempotent: true,
  input: z.object({ media_id: z.string().min(1).max(200), page: z.int().min(1).default(1) }),
  async call(client, input, { signal }) {
    const { pagination, ...told } = await client.readMediaHistory({ ...input, page_size: 100 }, { signal })
    return { cost: 0, data: { ...told, has_next: pagination.has_next }, quotes: true }
  },
})

export const usage = tool({
  name: 'usage',
  title: 'Balance and costs',
  description: 'The balance of the account, what was spent on what, and the prices. Free.',
  needs: 'read',
  idempotent: true,
  input: z.object({
    start_time: z.string().optional().describe('ISO 8601; 7 days before end_time unless given.'),
    end_time: z.string().optional().describe('ISO 8601; now unless given.'),
    detailed: z.boolean().default(false).describe('With costs over time and the last transactions.'),
  }),
  async call(client, input, { signal }) {
    return { cost: 0, data: await client.readUsage(input, { signal }) }
  },
})

export const verify = tool({
  name: 'verify',
  title: 'Prove the bill',
  description:
    'Adds the bill up again from the recorded events, and says line by line what is proven. Free; takes longer, the longer the history is.',
  needs: 'read',
  idempotent: true,
  input: z.object({}),
  async call(client, _, { signal }) {
    const {
      postings: _postings,
      pagination: _pagination,
      ...report
    } = await client.readLedger({ page_size: 1 }, { signal })
    return { cost: 0, data: report }
  },
})
