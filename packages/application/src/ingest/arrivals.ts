import { InsufficientFunds } from '@medialog/domain'
import { sum, type Money, type Uuid } from '@medialog/kernel'
import { refusePenniless } from '../billing/paying.ts'
import { ingestPrice, priceLine } from '../billing/prices.ts'
import type { RequestContext } from '../core/context.ts'
import { AccountSuspended, TooManyFiles } from '../core/errors.ts'
import { requestStreamOf } from '../core/ids.ts'
import type { Ports } from '../core/ports.ts'

export type ArrivalPorts = Pick<Ports, 'streams' | 'settings'>

/** What a file is sent for, which says what it costs. */
export type FileUse = 'upload' | 'analysis'

/** Disposed of when the request has been answered. */
export interface Arrival extends Disposable {
  /** Says that so many bytes more have arrived. @throws TooManyFiles; AccountSuspended, InsufficientFunds after 1 MiB */
  readonly add: (bytes: number) => void
}

/** Files of one account that arrive or are worked on, at most: half of what an orchestrator takes. */
const MOST_FILES = 128
/**
 * Bytes that an account may send without the money for them: enough for the refusals of a wrong form and of a duplicate,
 * which come before the money.
 */
const UNPAID_BYTES = 1_048_576

/**
 * Files that are sent to be stored or analysed at once, from before their first byte until they are answered: an account has
 * the money for each or sends little, and has room for it beside its others. Each process counts its own.
 */
export class Arrivals {
  readonly #ports: ArrivalPorts
  readonly #underWay = new Map<Uuid, Set<{ bytes: number }>>()

  constructor(ports: ArrivalPorts) {
    this.#ports = ports
  }

  /** @throws TooManyFiles, EngineUnavailable */
  async begin(context: RequestContext, use: FileUse, idempotencyKey: string | undefined): Promise<Arrival> {
    const { accountId, tier } = context.principal
    const unpayable = (await this.#isRepeat(accountId, idempotencyKey))
      ? null
      : await this.#refusalOf(context, use)
    const mostBytes = this.#ports.settings.batchBytes[tier]
    const own = { bytes: 0 }
    const files = this.#underWay.get(accountId) ?? new Set()
    // However low the limit is: one at a time gets through.
    const requireRoom = (): void => {
      const bytes = [...files].reduce((total, file) => total + file.bytes, 0)
      if (unpayable && bytes > UNPAID_BYTES) throw unpayable
      if (files.size > MOST_FILES || (files.size > 1 && bytes > mostBytes))
        throw new TooManyFiles({
          files: files.size - 1,
          most_files: MOST_FILES,
          bytes: bytes - own.bytes,
          most_bytes: mostBytes,
        })
    }
    const end = (): void => {
      files.delete(own)
      if (files.size === 0) this.#underWay.delete(accountId)
    }
    this.#underWay.set(accountId, files.add(own))
    try {
      requireRoom()
    } catch (error) {
      end()
      throw error
    }
    return {
      add: (bytes) => {
        own.bytes += bytes
        requireRoom()
      },
      [Symbol.dispose]: end,
    }
  }

  /** Why the account cannot pay for it, if it cannot. */
  async #refusalOf(context: RequestContext, use: FileUse): Promise<Error | null> {
    try {
      await refusePenniless(this.#ports, context, this.#priceOf(use))
      return null
    } catch (error) {
      if (error instanceof InsufficientFunds || error instanceof AccountSuspended) return error
      throw error
    }
  }

  /** A repeat costs nothing. */
  async #isRepeat(accountId: Uuid, idempotencyKey: string | undefined): Promise<boolean> {
    if (idempotencyKey === undefined) return false
    const stream = requestStreamOf(accountId, idempotencyKey)
    const { selected } = await this.#ports.streams.load(
      'request',
      stream,
      ({ current, abandoned }) => current !== null || abandoned.length > 0,
    )
    return selected
  }

  #priceOf(use: FileUse): Money {
    const { prices } = this.#ports.settings
    const lines = use === 'upload' ? ingestPrice(prices) : [priceLine(prices, 'MEDIA_ANALYSIS')]
    return sum(lines.map(({ amount }) => amount))
  }
}
