import { hash } from 'node:crypto'
import { abandonedTwins, holderAt, RequestInProgress, type Request } from '@medialog/domain'
import { DomainError, type Json, type Uuid } from '@medialog/kernel'
import type { Ports } from '../core/ports.ts'
import type { Origin } from '../event-sourcing/executing.ts'
import type { CommandOf } from '../event-sourcing/streams.ts'

/**
 * The outcome of a request that was never answered, from the log. `over`: it has no effect and never will. `open`:
 * something may still come of it. `untold`: it has left nothing so far.
 */
export type Fate<Answer> = { answer: Answer } | 'over' | 'open' | 'untold'

export interface KeyedRequest<Answer> {
  accountId: Uuid
  requestId: Uuid
  origin: Origin
  /** What makes it the same request: route, parsed fields, digest of the file. The log keeps a digest of it. */
  fingerprint: string
  /** Of an earlier request under the key; not given: its only outcome is its answer. */
  fateOf?: (requestId: Uuid) => Promise<Fate<Answer>>
}

type RequestPorts = Pick<Ports, 'streams' | 'clock' | 'background'>

/** A request's hold on its Idempotency-Key. */
export class RequestKey<Answer extends { [key: string]: Json }> {
  readonly #ports: RequestPorts
  readonly #stream: Uuid
  readonly #request: KeyedRequest<Answer>
  readonly #fingerprint: string

  constructor(ports: RequestPorts, stream: Uuid, request: KeyedRequest<Answer>) {
    this.#ports = ports
    this.#stream = stream
    this.#request = request
    this.#fingerprint = hash('sha256', request.fingerprint)
  }

  /**
   * The answer that was kept already; or the request has the key now, and `earlier` is the outcome of a twin that had lost it.
   * @throws IdempotencyKeyReused, RequestInProgress
   */
  async start(): Promise<{ kept: Answer | null; earlier: Answer | null }> {
    try {
      return await this.#begin().catch(async (refusal: unknown) => {
        if (!(refusal instanceof RequestInProgress) || !(await this.#endUntold(refusal))) throw refusal
        return this.#begin()
      })
    } catch (failure) {
      // It may have been recorded anyway: no other request would release the key.
      if (!(failure instanceof DomainError)) await this.#ports.background.untilDone(() => this.abandon())
      throw failure
    }
  }

  /** Null where it has lost the key meanwhile. */
  complete(answer: Answer, requestId = this.#request.requestId): Promise<Answer | null> {
    return this.#end({ type: 'CompleteRequest', requestId, answer, at: this.#ports.clock.now() })
  }

  /** Releases the key; the answer where it was kept anyway. */
  abandon(requestId = this.#request.requestId): Promise<Answer | null> {
    return this.#end({ type: 'AbandonRequest', requestId, at: this.#ports.clock.now() })
  }

  async #begin(): Promise<{ kept: Answer | null; earlier: Answer | null }> {
    const { streams, clock } = this.#ports
    const { accountId, requestId, origin, fateOf } = this.#request
    const fingerprint = this.#fingerprint
    let known: Uuid[] | null = fateOf ? [] : null
    let earlier: Answer | null = null
    for (;;) {
      const at = clock.now()
      const command = { type: 'StartRequest', accountId, requestId, fingerprint, known, at } as const
      const { selected } = await streams.execute('request', this.#stream, command, origin, {
        select: (state) => ({ holder: holderAt(state, at), twins: abandonedTwins(state, command) }),
      })
      if (selected.holder) return { kept: selected.holder.answer as Answer | null, earlier }
      known = selected.twins
      earlier = await this.#answerOf(known)
    }
  }

  /** Says how the one that has the key ended, where the log knows it by now: its process may have died. */
  async #endUntold({ requestId }: RequestInProgress): Promise<boolean> {
    const fate = (await this.#request.fateOf?.(requestId)) ?? 'untold'
    if (fate === 'open' || fate === 'untold') return false
    if (fate === 'over') await this.abandon(requestId)
    else await this.complete(fate.answer, requestId)
    return true
  }

  /** The outcome of those that lost the key; null: none. @throws RequestInProgress where something may still */
  async #answerOf(twins: readonly Uuid[]): Promise<Answer | null> {
    for (const twin of twins) {
      const fate = await this.#request.fateOf!(twin)
      if (fate === 'open') throw new RequestInProgress(twin)
      if (typeof fate === 'object') return fate.answer
    }
    return null
  }

  async #end(
    command: Extract<CommandOf<'request'>, { type: 'CompleteRequest' | 'AbandonRequest' }>,
  ): Promise<Answer | null> {
    const { origin } = this.#request
    const kept = answerKeptFor(command.requestId)
    // An answer that is kept stays: the work may have kept it itself, a moment ago.
    const known = this.#ports.streams.peek('request', this.#stream, kept)
    if (known) return known as Answer
    const { selected } = await this.#ports.streams.execute('request', this.#stream, command, origin, {
      select: kept,
      ...(command.type === 'AbandonRequest' && { undoes: true }),
    })
    return selected as Answer | null
  }
}

/** What repeats of that request are answered with; null where nothing was kept for it. */
export const answerKeptFor =
  (requestId: Uuid) =>
  ({ current }: Request): { [key: string]: Json } | null =>
    current?.requestId === requestId ? current.answer : null
