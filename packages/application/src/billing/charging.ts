import { LedgerRefusal, refundOfCharge, refundOfUnused, type ChargeLine } from '@medialog/domain'
import { sum, type Json, type JsonObject, type LogPosition, type Money, type Uuid } from '@medialog/kernel'
import type { RequestContext } from '../core/context.ts'
import { reasonOf } from '../core/errors.ts'
import { requestStreamOf } from '../core/ids.ts'
import { originOf } from '../core/origin.ts'
import type { Ports } from '../core/ports.ts'
import { settleReads } from '../core/read-your-writes.ts'
import type { Streams } from '../event-sourcing/streams.ts'
import { givenUp, once } from '../requests/idempotency.ts'
import { refuseSuspended } from './paying.ts'

/** What a paid request came to; of the first answer where this is a replay. */
export type Payment = Omit<Paid<never>, 'value'>

export type ChargingPorts = Pick<Ports, 'streams' | 'clock' | 'projections' | 'settings' | 'background'>

/** A request that costs money and whose work is not a saga: nothing but its answer and its charge come of it. */
export interface PaidRequest<Value, Kept extends JsonObject> {
  /** What the ledger calls it: `search`, `similar`, … */
  operation: string
  idempotencyKey: string | undefined
  /** What makes it the same request: all parsed fields, digests of files. Only a digest of it is kept. */
  fields: Json
  /** Makes the refusals that come before money. Not called for a replay. */
  prepare: () => Promise<PaidWork<Value, Kept>>
  /** The first answer once more, from what was kept of it, for free. `requestId`: of the first. @throws ReplayGone */
  replay: (kept: Kept, requestId: Uuid) => Promise<Value>
}

export interface PaidWork<Value, Kept extends JsonObject> {
  /** The most it can cost, each price once: charged before `work` starts. */
  most: ChargeLine[]
  /** The item that it is for, if any. */
  mediaId?: Uuid
  work: () => Promise<PaidResult<Value, Kept>>
}

export interface PaidResult<Value, Kept extends JsonObject> {
  value: Value
  /** What it really cost: no price more than `most` has of it. The rest is refunded before the answer. */
  cost: ChargeLine[]
  /**
   * What a replay is made from: ids of items and of their ingests, scores, amounts, places in a text. Never words of an
   * item: what is kept here stays in the log when the item is erased.
   */
  kept: Kept
}

export interface Paid<Value> {
  value: Value
  /** Of the first answer, as everything below, where this is a replay. */
  requestId: Uuid
  cost: Money
  /** The balance right after it. */
  balance: Money
  position: LogPosition
  replayed: boolean
}

interface KeptAnswer extends JsonObject {
  requestId: Uuid
  cost: string
  balance: string
  position: LogPosition
  kept: JsonObject
}

/**
 * Carries out a paid request: the most it can cost is charged, the work done, what it did not cost refunded, the charge
 * settled, in this order and all before the answer. Whatever fails in between, all is refunded; what a crash leaves is
 * refunded by recovery, or settled where the answer was kept for an Idempotency-Key. Where an append's outcome is unknown
 * the streams are asked: what is refunded is never answered, now or to a repeat. A client that disconnects is not waited for
 * and not refunded: the work is still done. A request that takes so long that another process takes it for dead is refunded
 * by that one and not answered.
 * @throws AccountSuspended, InsufficientFunds, IdempotencyKeyReused, RequestInProgress, ReplayGone, and what
 *   `prepare`, `work` and `replay` throw
 */
export async function paid<Value, Kept extends JsonObject>(
  ports: ChargingPorts,
  context: RequestContext,
  { operation, idempotencyKey, fields, prepare, replay }: PaidRequest<Value, Kept>,
): Promise<Paid<Value>> {
  const { background } = ports
  const { accountId } = context.principal
  const { requestId } = context
  const requestStream = idempotencyKey === undefined ? null : requestStreamOf(accountId, idempotencyKey)
  const first: { value?: Value; charge?: Charge } = {}
  const { answer, replayed } = await once<KeptAnswer>(ports, {
    accountId,
    requestId,
    origin: originOf(context),
    stream: requestStream,
    fingerprint: `${operation} ${JSON.stringify(fields)}`,
    async work() {
      const { most, mediaId, work } = await prepare()
      context.requireCost?.(totalOf(most))
      const cause = {
        operation,
        ...(mediaId !== undefined && { mediaId }),
        ...(requestStream !== null && { requestStream }),
      }
      // Known before it is made: should that fail, it may have been recorded.
      first.charge = chargeOf(ports, context, most, cause)
      await first.charge.make()
      const { value, cost, kept } = await work()
      first.value = value
      const { balance, position } = await first.charge.reduceTo(cost)
      return { requestId, cost: totalOf(cost).toString(), balance: balance.toString(), position, kept }
    },
    async conclude(answered, failure) {
      if (answered) await first.charge?.settle()
      else await first.charge?.refund(reasonOf(failure))
    },
  })
  const { charge } = first
  if (charge && (await background.untilDone(() => charge.settle())) === 'refunded') throw givenUp()
  await settleReads(ports, answer.position, ['usage'])
  return {
    value: replayed ? await replay(answer.kept as Kept, answer.requestId) : first.value!,
    requestId: answer.requestId,
    cost: BigInt(answer.cost),
    balance: BigInt(answer.balance),
    position: answer.position,
    replayed,
  }
}

interface Charge {
  /** @throws AccountSuspended, InsufficientFunds */
  make(): Promise<unknown>
  /** Refunds what was charged beyond `cost`. @throws EngineUnavailable where all was refunded before */
  reduceTo(cost: readonly ChargeLine[]): Promise<{ balance: Money; position: LogPosition }>
  /** `refunded`: it was taken for dead and all was refunded before. */
  settle(): Promise<'settled' | 'refunded'>
  /** Refunds all that is left, and waits until reads show it; nothing where it was not made, or has been settled. */
  refund(reason: string): Promise<unknown>
}

/**
 * Waits (bounded) until reads show the refund of all that was left of a charge, also one that a saga or the recovery
 * made. Returns at once where there was none.
 */
export async function settleRefund(
  ports: Pick<Ports, 'streams' | 'projections' | 'settings'>,
  accountId: Uuid,
  chargeId: string,
): Promise<void> {
  const { selected: isRefunded, position } = await ports.streams.load('ledger', accountId, (ledger) =>
    ledger.refunds.has(refundOfCharge(chargeId)),
  )
  if (isRefunded) await settleReads(ports, position, ['usage'])
}

/** The request's charge; what costs nothing leaves no trace in the ledger. */
function chargeOf(
  ports: ChargingPorts,
  context: RequestContext,
  most: ChargeLine[],
  cause: { operation: string; mediaId?: Uuid; requestStream?: Uuid },
): Charge {
  const { streams, clock } = ports
  const { principal, requestId } = context
  const { accountId } = principal
  if (totalOf(most) === 0n) return nothingCharged(streams, accountId)
  const origin = originOf(context)
  const chargeId = requestId
  const refundId = refundOfCharge(chargeId)
  const post = (command: Parameters<typeof streams.execute<'ledger', Money>>[2]) =>
    streams.execute('ledger', accountId, command, origin, { select: (ledger) => ledger.balance })
  return {
    async make() {
      refuseSuspended(context)
      await post({ type: 'Charge', chargeId, lines: most, cause: { ...cause, requestId }, at: clock.now() })
    },
    async reduceTo(cost) {
      const { selected: balance, position } = await post({
        type: 'Refund',
        refundId: refundOfUnused(chargeId),
        chargeId,
        lines: unusedOf(most, cost),
        reason: 'not used',
        at: clock.now(),
      }).catch((error: unknown) => {
        // No more was to be refunded than was charged: so it was refunded already.
        throw error instanceof LedgerRefusal ? givenUp(error) : error
      })
      return { balance, position }
    },
    async settle() {
      const command = { type: 'Settle', chargeId, at: clock.now() } as const
      const { selected } = await streams.execute('ledger', accountId, command, origin, {
        select: (ledger) => ledger.refunds.has(refundId),
      })
      return selected ? 'refunded' : 'settled'
    },
    async refund(reason) {
      const command = { type: 'RefundRest', refundId, chargeId, reason, at: clock.now() } as const
      await streams.execute('ledger', accountId, command, origin, { undoes: true })
      await settleRefund(ports, accountId, chargeId)
    },
  }
}

const nothingCharged = (streams: Streams, accountId: Uuid): Charge => ({
  make: () => Promise.resolve(),
  async reduceTo() {
    const { selected, position } = await streams.load('ledger', accountId, (ledger) => ledger.balance)
    return { balance: selected, position }
  },
  settle: () => Promise.resolve('settled'),
  refund: () => Promise.resolve(),
})

/** What of each price was charged and not used. @throws RangeError where more was used than charged */
function unusedOf(most: readonly ChargeLine[], cost: readonly ChargeLine[]): ChargeLine[] {
  const used = new Map(cost.map(({ price, amount }) => [price, amount]))
  const unused = most.map(({ price, amount }) => ({ price, amount: amount - (used.get(price) ?? 0n) }))
  if (unused.some(({ amount }) => amount < 0n) || totalOf(most) - totalOf(unused) !== totalOf(cost))
    throw new RangeError('a request cost more than the most that was charged for it')
  return unused
}

const totalOf = (lines: readonly ChargeLine[]): Money => sum(lines.map(({ amount }) => amount))
