import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import type { Client, DataOf } from '@medialog/client'
import { counted, fromUsdNumber, sum, toUsdNumber } from '@medialog/kernel'
import { z } from 'zod'
import { cursor, instant, mediaId, nextCursor, NO_CURSOR } from '../fields.ts'
import { pricesByTool, tool } from '../tool.ts'
import { clipped, facts, more } from '../wording.ts'

/** Events of a page: so many lines have at most 6 000 characters. */
const HISTORY_PAGE = 25

export const history = tool({
  name: 'history',
  title: 'What happened to an item',
  description:
    'Everything that happened to an item, oldest first: how it was stored, what that cost, moves, answers that spoke of it, its deletion. Free.',
  needs: 'read',
  idempotent: true,
  input: z.strictObject({
    media_id: mediaId,
    cursor: cursor.refine((page = '1') => /^[1-9]\d{0,8}$/.test(page), NO_CURSOR),
  }),
  output: z.strictObject({
    media_id: z.string(),
    state: z.enum(['stored', 'deleted', 'absent']),
    entries: z.array(
      z.strictObject({
        at: z.string(),
        event: z.string(),
        operation: z.string().optional(),
        actor: z.string().describe('A key’s id, `operator` or `system`.'),
        collection: z.string().optional(),
        amount_usd: z.number().optional().describe('Signed: a charge is negative.'),
        reason: z.string().optional(),
      }),
    ),
    next_cursor: nextCursor,
  }),
  async call(client, { media_id, cursor: page = '1' }, { signal }) {
    const found = await client.readMediaHistory(
      { media_id, page: Number(page), page_size: HISTORY_PAGE },
      { signal },
    )
    const entries = found.entries.map(({ at, event, operation, actor, collection, posting, reason }) => ({
      at,
      event,
      ...(operation !== undefined && { operation }),
      actor,
      ...(collection !== undefined && { collection }),
      ...(posting && { amount_usd: posting.amount }),
      ...(reason !== undefined && { reason: clipped(reason, 60) }),
    }))
    const next = found.pagination.has_next ? String(found.pagination.page + 1) : undefined
    const lines = entries.map(({ at, event, operation, actor, collection, amount_usd: amount, reason }) =>
      facts(
        at,
        event,
        operation,
        `by ${actor}`,
        collection && `in ${collection}`,
        amount !== undefined && `${amount} USD`,
        reason,
      ),
    )
    return {
      cost: 0,
      data: { media_id, state: found.state, entries, ...(next !== undefined && { next_cursor: next }) },
      text: [
        `${media_id} is ${found.state}. ${counted(entries.length, 'event')}:`,
        ...lines,
        ...more(next),
      ].join('\n'),
      quotes: true,
    }
  },
})

/** What is paid for, by the operation of its posting; what no tool does keeps its own name. */
const TOOLS: ReadonlyMap<string, string> = new Map(
  Object.entries({ upload: 'upload', batch: 'upload', ask: 'ask', similar: 'similar' }),
)
const toolOf = (operation: string | undefined): string => TOOLS.get(operation ?? '') ?? operation ?? 'other'

/** The last transactions that an answer names. */
const MOST_TRANSACTIONS = 20

interface Transaction {
  at: string
  kind: 'credit' | 'charge' | 'refund'
  tool: string
  media_id?: string
  filename?: string
  amount_usd: number
  by_this_key: boolean
}

const usageOutput = z.strictObject({
  balance_usd: z.number(),
  period: z.strictObject({ from: z.string(), until: z.string() }),
  spent_usd: z.number().describe('In the period: charges, less what was refunded.'),
  spent_by_tool_usd: z.record(z.string(), z.number()),
  spent_by_this_key_usd: z.number(),
  prices_usd: z.record(z.string(), z.number()).describe('Of a call, by tool.'),
  transactions: z
    .array(
      z.strictObject({
        at: z.string(),
        kind: z.enum(['credit', 'charge', 'refund']),
        tool: z.string(),
        media_id: z.string().optional(),
        filename: z.string().optional(),
        amount_usd: z.number().describe('Signed: a charge is negative.'),
        by_this_key: z.boolean(),
      }),
    )
    .optional()
    .describe('With `transactions`: the last of the period, newest first.'),
})

export const usage = tool({
  name: 'usage',
  title: 'Balance and costs',
  description:
    'The balance of the account, what was spent in a period on which tool and by this key, and the prices. Free.',
  needs: 'read',
  idempotent: true,
  input: z.strictObject({
    start_time: instant
      .optional()
      .describe('Such as 2026-11-20T13:00:00Z; 7 days before end_time unless given.'),
    end_time: instant.optional().describe('Now unless given.'),
    transactions: z.boolean().default(false).describe('Whether to name the last transactions.'),
  }),
  output: usageOutput,
  async call(client, { transactions: named, ...range }, { signal, keyId }) {
    const { data, metadata } = await client.call('readUsage', range, { signal })
    const { start, end } = metadata['time_range'] as { start: string; end: string }
    const found = await transactionsOf(postingsOf(client, { from: start, until: end }, signal), keyId)
    const spent = (all: readonly Transaction[]): number =>
      toUsdNumber(
        -sum(all.flatMap(({ kind, amount_usd: amount }) => (kind === 'credit' ? [] : fromUsdNumber(amount)))),
      )
    const tools = [...new Set(found.filter(({ kind }) => kind !== 'credit').map((one) => one.tool))]
    const last = found.slice(-MOST_TRANSACTIONS).toReversed()
    const answer = {
      balance_usd: data.account_info.balance,
      period: { from: start, until: end },
      spent_usd: spent(found),
      spent_by_tool_usd: Object.fromEntries(
        tools.map((name) => [name, spent(found.filter((one) => one.tool === name))]),
      ),
      spent_by_this_key_usd: spent(found.filter(({ by_this_key: own }) => own)),
      prices_usd: pricesByTool(data.billing_summary.pricing),
      ...(named && { transactions: last }),
    }
    return { cost: 0, data: answer, text: usageText(answer), ...(named && { quotes: true as const }) }
  },
})

type Posting = DataOf<'readLedger'>['postings'][number]

/** The postings of a period, oldest first, from the ledger itself. */
async function* postingsOf(
  client: Client,
  range: { from: string; until: string },
  signal: AbortSignal,
): AsyncGenerator<Posting> {
  const reply = await client.open('readLedger', range, { signal, accept: 'application/x-ndjson' })
  try {
    for await (const line of createInterface({ input: Readable.from(reply.body), crlfDelay: Infinity })) {
      const told = JSON.parse(line) as { posting?: Posting }
      if (told.posting) yield told.posting
    }
  } finally {
    reply.cancel()
  }
}

/** A refund is of the tool and the key whose charge it pays back, where that is in the period. */
async function transactionsOf(postings: AsyncIterable<Posting>, keyId: string): Promise<Transaction[]> {
  const found: Transaction[] = []
  const charges = new Map<string, Pick<Transaction, 'tool' | 'by_this_key'>>()
  for await (const { at, kind, id, charge_id: charge = '', amount, cause } of postings) {
    const own = {
      tool: kind === 'credit' ? 'credit' : toolOf(cause.operation),
      by_this_key: cause.actor === keyId,
    }
    if (kind === 'charge') charges.set(id, own)
    found.push({
      at,
      kind,
      ...own,
      ...charges.get(charge),
      ...(cause.media_id !== undefined && { media_id: cause.media_id }),
      ...(cause.filename !== undefined && { filename: cause.filename }),
      amount_usd: amount,
    })
  }
  return found
}

function usageText(usage: z.output<typeof usageOutput>): string {
  const money = (amounts: Record<string, number>): string =>
    Object.entries(amounts)
      .map(([name, amount]) => `${name} ${amount}`)
      .join(', ')
  const transactions = (usage.transactions ?? [])
    .slice(0, 6)
    .map(({ at, kind, tool: name, media_id, filename, amount_usd: amount }) =>
      facts(at.slice(0, 19), kind, name, filename ? clipped(filename, 30) : media_id, `${amount} USD`),
    )
  return [
    `Balance: ${usage.balance_usd} USD.`,
    `From ${usage.period.from} until ${usage.period.until}:`,
    `Spent ${usage.spent_usd} USD, by this key ${usage.spent_by_this_key_usd} USD.`,
    Object.keys(usage.spent_by_tool_usd).length > 0 && `By tool: ${money(usage.spent_by_tool_usd)}.`,
    `Prices of a call in USD: ${money(usage.prices_usd)}.`,
    ...transactions,
  ]
    .filter(Boolean)
    .join('\n')
}

export const verify = tool({
  name: 'verify',
  title: 'Prove the bill',
  description:
    'Adds the bill up again from the recorded events, and says line by line what is proven. Free; takes longer, the longer the history is.',
  needs: 'read',
  idempotent: true,
  input: z.strictObject({}),
  output: z.strictObject({
    holds: z.boolean().describe('Whether every line does.'),
    lines: z.array(
      z.strictObject({
        statement: z.string(),
        holds: z.boolean().optional().describe('Absent: it could not be looked at.'),
        fault: z.string().optional(),
      }),
    ),
    balance_usd: z.number(),
    charged_usd: z.number(),
    refunded_usd: z.number(),
    credited_usd: z.number(),
  }),
  async call(client, _, { signal }) {
    const { proof, totals, closing_balance: balance } = await client.readLedger({ page_size: 1 }, { signal })
    const lines = proof.lines.map(({ statement, holds, faults, trouble }) => {
      const fault = faults[0]?.reason ?? trouble
      return {
        statement,
        ...(holds !== null && { holds }),
        ...(fault !== undefined && { fault: clipped(fault, 200) }),
      }
    })
    const words = (holds?: boolean): string =>
      holds === undefined ? 'unknown' : holds ? 'holds' : 'DOES NOT HOLD'
    return {
      cost: 0,
      data: {
        holds: proof.holds,
        lines,
        balance_usd: balance,
        charged_usd: totals.charged,
        refunded_usd: totals.refunded,
        credited_usd: totals.credited,
      },
      text: [
        `The bill ${words(proof.holds)}. Balance ${balance} USD: credited ${totals.credited}, charged ${totals.charged}, refunded ${totals.refunded}.`,
        ...lines.map(({ statement, holds, fault }) => facts(words(holds), clipped(statement, 160), fault)),
      ].join('\n'),
    }
  },
})
