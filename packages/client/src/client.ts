import { connect } from '#platform'
import type { Answer, Call, FollowOptions, Open, OpenOptions, Patience, RequestOptions } from './calls.ts'
import type { Input } from './declared.ts'
import { MedialogError, Unreachable } from './errors.ts'
import { followEvents, type Feed, type FeedInput } from './feed.ts'
import { followBatch, followOperation } from './following.ts'
import { operations, type Batch, type OperationId, type Operation, type Operations } from './operations.ts'
import { argumentsOf, pathNames, requireKnown } from './names.ts'
import { entriesOf, pagesOf } from './pages.ts'
import type { Form, Reply } from './platform/transport.ts'
import { Positions } from './positions.ts'
import { streamAnswer, type AnswerEvent } from './questions.ts'
import { jsonIn, refusalOf } from './refusal.ts'
import {
  addressOf,
  fieldsOf,
  formOf,
  isRepeatable,
  newIdempotencyKey,
  wasReplayed,
  operation,
  secretOf,
  type PreparedForm,
} from './requests.ts'
import { isPassing, withRetry, type RetryOptions } from './retry.ts'

export interface ClientOptions extends Patience {
  /** Where the service is: `http://127.0.0.1:8080` unless given. */
  url?: string
  /** The same. */
  baseUrl?: string
  /** Of an account. */
  apiKey?: string
  /** For what operators do, below `/admin`. */
  operatorToken?: string
  /** How many times a request is tried in all where it may succeed later: 5 unless given, 1 for no second try. */
  attempts?: number
  /** How long the service may stay silent, in milliseconds: a minute unless given, ten where a file is read. */
  timeoutMs?: number
  /** `positions` of another client of the account: reads wait for what that one wrote and its events reported. */
  positions?: readonly string[]
  /** Called before each wait for another try. */
  onRetry?: RetryOptions['onRetry']
  /** Ends every request that has no signal of its own. */
  signal?: AbortSignal
  /** Goes before the rest of `User-Agent`; browsers send their own. */
  userAgent?: string
}

type InputOf<Id extends OperationId> = Operations[Id]['input']
type Arguments<Id extends OperationId> =
  object extends InputOf<Id>
    ? [input?: InputOf<Id>, options?: RequestOptions]
    : [input: InputOf<Id>, options?: RequestOptions]
type NamesIn<Path> = Path extends `${string}{${infer Name}}${infer Rest}` ? [Name, ...NamesIn<Rest>] : []
type Ids<Id extends OperationId> = NamesIn<(typeof operations)[Id]['path']>
/** What is left to say by name where the ids of the path stand alone. */
type Rest<Id extends OperationId> = [input?: Omit<InputOf<Id>, Ids<Id>[number]>, options?: RequestOptions]
/** `readMedia('doc_…', { include_chunks: true })`. */
type IdsFirst<Id extends OperationId> = Ids<Id>['length'] extends 1
  ? [id: string, ...rest: Rest<Id>]
  : [id: string, secondId: string, ...rest: Rest<Id>]
type Method<Id extends JsonOperationId> =
  Ids<Id> extends []
    ? (...given: Arguments<Id>) => Promise<DataOf<Id>>
    : {
        (...given: IdsFirst<Id>): Promise<DataOf<Id>>
        (...given: Arguments<Id>): Promise<DataOf<Id>>
      }
/** Operations whose answers have `data`. */
export type JsonOperationId = {
  [Id in OperationId]: Operations[Id] extends { data: unknown } ? Id : never
}[OperationId]
export type DataOf<Id extends JsonOperationId> = Operations[Id]['data']
/** Operations that answer with pages. */
export type PagedOperationId = {
  [Id in JsonOperationId]: Operations[Id] extends { entry: unknown } ? Id : never
}[JsonOperationId]

/** One method for each operation of the HTTP API, by its operationId: it answers with the `data` of the answer. */
export type Methods = {
  [Id in JsonOperationId]: Method<Id>
}

export interface Client extends Methods {
  readonly url: string
  /** Log positions of this client's writes and events: given to another client of the account, its reads wait for them. */
  readonly positions: string[]
  /** The same as the method of that name, with what stands around the data. @throws MedialogError */
  call<Id extends JsonOperationId>(
    id: Id,
    input: InputOf<Id>,
    options?: RequestOptions,
  ): Promise<Answer<DataOf<Id>>>
  /** The answer as it comes, in another form: `accept` names its type. @throws MedialogError */
  open<Id extends OperationId>(id: Id, input: InputOf<Id>, options?: OpenOptions): Promise<Reply>
  /** Every page of a list, as they are asked for. @throws MedialogError */
  pages<Id extends PagedOperationId>(
    id: Id,
    input?: Omit<InputOf<Id>, 'page' | 'after'>,
    options?: RequestOptions,
  ): AsyncGenerator<DataOf<Id>, void, undefined>
  /** Every entry of them. @throws MedialogError */
  iterate<Id extends PagedOperationId>(
    id: Id,
    input?: Omit<InputOf<Id>, 'page' | 'after'>,
    options?: RequestOptions,
  ): AsyncGenerator<Operations[Id]['entry'], void, undefined>
  /** An answer told piece by piece while it is made. @throws MedialogError */
  askInPieces(
    input: Omit<InputOf<'ask'>, 'stream'>,
    options?: RequestOptions,
  ): AsyncGenerator<AnswerEvent, void, undefined>
  /** The account's events as they happen; after a broken connection it continues behind the last event. Later reads show what the events report. */
  events(input?: FeedInput, options?: RequestOptions): Feed
  /** Looks until a batch has ended. @throws MedialogError */
  followBatch(batchId: string, options?: FollowOptions<Batch>): Promise<Batch>
  /** The same for an operation of the operator's. @throws MedialogError */
  followOperation(operationId: string, options?: FollowOptions<Operation>): Promise<Operation>
  /** Closes connections that are kept for the next request. A process ends without it, too. */
  close(): void
}

const TIMEOUT_MS = 60_000
/** A large video may take minutes to be understood. */
const FORM_TIMEOUT_MS = 600_000
const ATTEMPTS = 5

const PATIENCE = { maxRetries: true, timeout: true, attempts: true, timeoutMs: true } as const
const CLIENT_OPTIONS = Object.keys({
  ...PATIENCE,
  url: true,
  baseUrl: true,
  apiKey: true,
  operatorToken: true,
  positions: true,
  onRetry: true,
  signal: true,
  userAgent: true,
} satisfies Record<keyof ClientOptions, true>)
const REQUEST_OPTIONS = Object.keys({
  ...PATIENCE,
  accept: true,
  signal: true,
  onRetry: true,
  idempotencyKey: true,
  maxCost: true,
  cancelOnDisconnect: true,
  onProgress: true,
} satisfies Record<keyof OpenOptions, true>)

/** Under their own names. */
function inOwnNames<Options extends Patience & Pick<RequestOptions, 'attempts' | 'timeoutMs'>>({
  maxRetries,
  timeout,
  ...options
}: Options): Omit<Options, keyof Patience> {
  return {
    ...options,
    attempts: options.attempts ?? (maxRetries === undefined ? undefined : maxRetries + 1),
    timeoutMs: options.timeoutMs ?? timeout,
  }
}

/** A page has no environment; Deno has Node's where it is let to. */
function environment(): { readonly [name: string]: string | undefined } {
  const { process } = globalThis as { process?: { env?: { [name: string]: string | undefined } } }
  try {
    const { MEDIALOG_URL, MEDIALOG_API_KEY } = process?.env ?? {}
    return { MEDIALOG_URL, MEDIALOG_API_KEY }
  } catch {
    return {}
  }
}

/**
 * A client that takes what it is not given from the environment, where there is one: `MEDIALOG_URL` and
 * `MEDIALOG_API_KEY`. Otherwise as `createClient`.
 */
export const Medialog = function Medialog(options: ClientOptions = {}): Client {
  const { MEDIALOG_URL, MEDIALOG_API_KEY } = environment()
  return createClient({
    ...options,
    url: options.url ?? options.baseUrl ?? MEDIALOG_URL,
    apiKey: options.apiKey ?? MEDIALOG_API_KEY,
  })
} as unknown as new (options?: ClientOptions) => Client

/** @throws TypeError for an option that it does not have */
export function createClient(given: ClientOptions = {}): Client {
  requireKnown('The client', given, CLIENT_OPTIONS)
  const settings = inOwnNames(given)
  const { url = settings.baseUrl ?? 'http://127.0.0.1:8080', userAgent } = settings
  const transport = connect()
  const positions = new Positions(settings.positions ?? [])
  /** Whether a server answered this client before. */
  let wasThere = false

  /** What a request is sent with, where the caller does not say otherwise. */
  function withDefaults<Options extends RequestOptions>(given: Options): Omit<Options, keyof Patience> {
    const options = inOwnNames(given)
    return {
      ...options,
      signal: options.signal ?? settings.signal,
      onRetry: options.onRetry ?? settings.onRetry,
      attempts: options.attempts ?? settings.attempts,
    }
  }

  /** Sends a request, again where it may succeed later, until `read` has taken its answer. */
  async function request<T>(
    id: OperationId,
    input: Input,
    options: OpenOptions,
    read: (reply: Reply) => Promise<T>,
  ): Promise<T> {
    const declared = operation(id)
    const { method, access, paid } = declared
    const fields = fieldsOf(declared, input)
    // What a body may have is for the service to say.
    if (!declared.body) requireKnown(id, fields, [...pathNames(declared.path), ...(declared.query ?? [])])
    requireKnown(`${id}’s options`, options, REQUEST_OPTIONS)
    const form = declared.body === 'form' ? await formOf(fields) : null
    const json = declared.body === 'json' ? JSON.stringify(fields) : undefined
    const headers: { [name: string]: string } = {
      accept: options.accept ?? 'application/json',
      ...(json !== undefined && { 'content-type': 'application/json' }),
      ...((paid || options.idempotencyKey !== undefined) && {
        'idempotency-key': options.idempotencyKey ?? newIdempotencyKey(),
      }),
      ...(paid && options.maxCost !== undefined && { 'x-max-cost': decimalOf(options.maxCost) }),
      ...(options.cancelOnDisconnect && { 'x-on-disconnect': 'cancel' }),
      ...(userAgent !== undefined && { 'user-agent': userAgent }),
      ...secretOf(declared, settings),
    }
    const address = addressOf(declared, input, url)
    const timeoutMs = options.timeoutMs ?? settings.timeoutMs ?? (form ? FORM_TIMEOUT_MS : TIMEOUT_MS)
    const mayRepeat = isRepeatable(declared, form)
    async function once(): Promise<T> {
      const wrote = positions.begin()
      if (access === 'read' && positions.all.length > 0) headers['x-min-position'] = positions.all.join(',')
      const reply = await transport.send({
        method,
        url: address,
        headers,
        body: form ? withProgress(form, options.onProgress) : json,
        signal: options.signal,
        timeoutMs,
      })
      wasThere = true
      const position = reply.headers.get('x-position')
      if (method !== 'GET' && position !== null) wrote(position)
      return read(reply.status < 300 ? reply : await dataOrRefusal(reply))
    }
    async function onceWithoutLost(): Promise<T> {
      try {
        return await once()
      } catch (error) {
        if (!(error instanceof MedialogError) || error.code !== 'POSITION_LOST') throw error
        positions.forget()
        delete headers['x-min-position']
        return once()
      }
    }
    return withRetry(
      onceWithoutLost,
      (error): error is MedialogError => {
        wasThere ||= error instanceof Unreachable && error.reason !== 'nobody'
        return isPassing(error, mayRepeat, wasThere)
      },
      options.attempts ?? ATTEMPTS,
      options,
    )
  }

  const open: Open = (id, input = {}, options = {}) =>
    request(id, input, withDefaults(options), async (reply) => reply)

  const call: Call = (id, input = {}, options = {}) =>
    request(id, input, withDefaults(options), (reply) => answerOf(reply, url))

  const client = {
    url,
    get positions() {
      return positions.all
    },
    open,
    call,
    pages: (id: PagedOperationId, input?: Input, options?: RequestOptions) =>
      pagesOf(call, id, input, options),
    iterate: (id: PagedOperationId, input?: Input, options?: RequestOptions) =>
      entriesOf(call, id, input, options),
    askInPieces: (input: Input, options?: RequestOptions) => streamAnswer(open, input, options),
    events: (input?: FeedInput, options: RequestOptions = {}) =>
      followEvents(open, positions, input, withDefaults(options)),
    followBatch: (id: string, { attempts, ...options }: FollowOptions<Batch> = {}) =>
      followBatch(call, id, { ...withDefaults(options), attempts }),
    followOperation: (id: string, options: FollowOptions<Operation> = {}) =>
      followOperation({ open, call }, id, withDefaults(options)),
    close: () => transport.close(),
  }
  const methods = Object.keys(operations).map((id) => [
    id,
    async (...given: unknown[]) => {
      const [input, options] = argumentsOf<RequestOptions>(id, operation(id as OperationId), given)
      return (await call(id as OperationId, input, options)).data
    },
  ])
  // Their types are those of the generated list, one for each of its names.
  return Object.assign(client, Object.fromEntries(methods))
}

/** `/v1/status` answers 503 with its data where the service is critical. @throws Refused for all other refusals */
async function dataOrRefusal(reply: Reply): Promise<Reply> {
  const text = await textOf(reply)
  const body = jsonIn(text)
  if (!('data' in body)) throw refusalOf(reply.status, reply.headers, body)
  const bytes = new TextEncoder().encode(text)
  return {
    ...reply,
    body: (async function* () {
      yield bytes
    })(),
  }
}

async function answerOf(reply: Reply, url: string): Promise<Answer<unknown>> {
  const { data, message, metadata } = jsonIn(await textOf(reply))
  if (data === undefined)
    throw new MedialogError('NOT_MEDIALOG', `What answers at ${url} does not speak like Medialog.`)
  return {
    status: reply.status,
    data,
    message: String(message),
    metadata: (metadata ?? {}) as Answer<unknown>['metadata'],
    requestId: reply.headers.get('x-request-id'),
    replayed: wasReplayed(reply),
  }
}

/** Never with an exponent. */
const decimalOf = (usd: number): string => usd.toFixed(9).replace(/\.?0+$/, '')

/** The whole of an answer. @throws Unreachable; what the signal was aborted with */
export async function textOf({ body }: Reply): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of body) text += decoder.decode(chunk, { stream: true })
  return text + decoder.decode()
}

function withProgress(form: PreparedForm, onProgress: RequestOptions['onProgress']): Form {
  let total: number | null = 0
  for (const { size } of form.files) total = total === null || size === null ? null : total + size
  return { ...form, onSent: (sent) => onProgress?.({ sent, total }) }
}
