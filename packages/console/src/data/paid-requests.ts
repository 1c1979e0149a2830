import {
  MedialogError,
  newIdempotencyKey,
  Refused,
  type Client,
  type DataOf,
  type Operations,
} from '@medialog/client'
import { t } from '../texts/texts.ts'
import { Store } from './store.ts'

/** Operations that cost money, uploads aside. */
export type PaidId = 'ask' | 'search' | 'findSimilar'

type State<Id extends PaidId> =
  /** `text` has arrived so far of an answer that is written piece by piece. */
  | { at: 'pending'; text: string }
  | { at: 'done'; data: DataOf<Id> }
  | { at: 'failed'; error: MedialogError; text: string }
  /** Sent before this page was loaded: the service may still have the answer. */
  | { at: 'before' }

export interface PaidRequest<Id extends PaidId = PaidId> {
  id: Id
  input: Operations[Id]['input']
  /** Its Idempotency-Key: however often the request is sent under it, it is charged once. */
  key: string
  state: State<Id>
}

/** A request with what is needed to ask for its answer after a reload. */
type Note = Pick<PaidRequest, 'id' | 'input' | 'key'>

/** Called after each request, with its error where it failed. */
type Ended = (request: Note, error: unknown) => void

const NAME = 'medialog.paid'
/** More are not kept: the oldest go first. */
const MOST_KEPT = 100
/** More are not asked for again after a reload. */
const MOST_NOTES = 20
/** About three minutes, in which a service that restarts is back. */
const ATTEMPTS = 12

export const forgetPaid = (): void => sessionStorage.removeItem(NAME)

const contentOf = ({ id, input }: Pick<PaidRequest, 'id' | 'input'>): string => JSON.stringify([id, input])

/**
 * What was asked and paid for in this visit, with the answers. A request is known by its content: pressing its button
 * twice sends it once. It goes on while one looks at another view.
 */
export class PaidRequests {
  /** The last one first. */
  readonly list = new Store<readonly PaidRequest[]>(noted())
  readonly #client: Client
  readonly #signal: AbortSignal
  readonly #ended: Ended
  readonly #stops = new Map<string, AbortController>()

  constructor(client: Client, signal: AbortSignal, ended: Ended) {
    this.#client = client
    this.#signal = signal
    this.#ended = ended
  }

  find<Id extends PaidId>(id: Id, input: Operations[Id]['input']): PaidRequest<Id> | undefined {
    const content = contentOf({ id, input })
    return this.list.get().find((each) => contentOf(each) === content) as PaidRequest<Id> | undefined
  }

  /**
   * Sends the request unless it is under way or answered. One that failed is sent under the key that it had.
   * @param needs what showing the answer needs: without it, nothing is sent
   */
  send<Id extends PaidId>(id: Id, input: Operations[Id]['input'], needs?: () => Promise<unknown>): void {
    const known = this.find(id, input)
    if (known?.state.at === 'pending') return
    if (known?.state.at === 'done') return this.#putFirst(known)
    const isGone = known?.state.at === 'failed' && known.state.error.code === 'GONE'
    const key = known && !isGone ? known.key : newIdempotencyKey()
    void this.#send({ id, input, key }, { ...(needs && { needs }) })
  }

  /** Sends it as a request of its own, which is charged. */
  sendAgain(id: PaidId, input: Operations[PaidId]['input']): void {
    if (this.find(id, input)?.state.at !== 'pending') void this.#send({ id, input, key: newIdempotencyKey() })
  }

  /** Asks for the answer to a request of before a reload, which costs nothing; without an answer the request is forgotten. */
  recall({ id, input, key, state }: PaidRequest): void {
    // A maximum of 0 USD: the answer that is kept is free, and nothing else is.
    if (state.at === 'before') void this.#send({ id, input, key }, { maxCost: 0 })
  }

  /** Stops waiting. The service goes on: the answer can be asked for under the same key. */
  stop(key: string): void {
    this.#stops.get(key)?.abort()
  }

  async #send(
    note: Note,
    { maxCost, needs }: { maxCost?: number; needs?: () => Promise<unknown> } = {},
  ): Promise<void> {
    // Before anything is waited for: a second press finds it.
    this.#set(note, { at: 'pending', text: '' })
    this.#note()
    const stop = new AbortController()
    this.#stops.set(note.key, stop)
    const options = {
      idempotencyKey: note.key,
      signal: AbortSignal.any([this.#signal, stop.signal]),
      attempts: ATTEMPTS,
      ...(maxCost !== undefined && { maxCost }),
    }
    let text = ''
    try {
      await needs?.()
      if (note.id === 'ask')
        for await (const piece of this.#client.askInPieces(note.input as Operations['ask']['input'], options))
          if (piece.type === 'delta') this.#set(note, { at: 'pending', text: (text += piece.text) })
          else this.#set(note, { at: 'done', data: piece.answer })
      else this.#set(note, { at: 'done', data: (await this.#client.call(note.id, note.input, options)).data })
      this.#ended(note, null)
    } catch (error) {
      if (this.#signal.aborted) return
      if (maxCost !== undefined && error instanceof Refused && error.status < 500) this.#forget(note)
      else this.#set(note, { at: 'failed', error: failureOf(error), text })
      this.#ended(note, error)
    } finally {
      this.#stops.delete(note.key)
      this.#note()
    }
  }

  #set({ id, input, key }: Note, state: State<PaidId>): void {
    const request: PaidRequest = { id, input, key, state }
    const list = this.list.get()
    const content = contentOf(request)
    const isKnown = list.some((each) => contentOf(each) === content)
    this.list.set(
      isKnown
        ? list.map((each) => (contentOf(each) === content ? request : each))
        : [request, ...list.slice(0, MOST_KEPT - 1)],
    )
  }

  #putFirst(request: PaidRequest): void {
    this.list.set([request, ...this.list.get().filter((each) => each !== request)])
  }

  #forget({ key }: Note): void {
    this.list.set(this.list.get().filter((each) => each.key !== key))
  }

  /** Keeps what a reload asks for again. A session that has ended keeps nothing. */
  #note(): void {
    if (this.#signal.aborted) return
    const notes = this.list
      .get()
      .filter(({ state }) => state.at !== 'failed' || !(state.error instanceof Refused))
      .slice(0, MOST_NOTES)
      .map(({ id, input, key }): Note => ({ id, input, key }))
    sessionStorage.setItem(NAME, JSON.stringify(notes))
  }
}

const noted = (): PaidRequest[] =>
  (JSON.parse(sessionStorage.getItem(NAME) ?? '[]') as Note[]).map((note) => ({
    ...note,
    state: { at: 'before' },
  }))

const failureOf = (error: unknown): MedialogError =>
  error instanceof MedialogError
    ? error
    : error instanceof DOMException && error.name === 'AbortError'
      ? new MedialogError('STOPPED', t.paid.stopped)
      : new MedialogError('NOT_LOADED', t.paid.notLoaded, { cause: error })
