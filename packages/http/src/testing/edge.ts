import type { Application, Principal } from '@medialog/application'
import { ERROR_BODIES, routes, type ErrorShape, type OperationId } from '@medialog/contract/http'
import type { Tier } from '@medialog/domain'
import type { Clock } from '@medialog/kernel'
import type { z } from 'zod'
import { createHttpApp, type HttpApp } from '../app.ts'
import type { FinishedRequest, HttpOptions } from '../options.ts'
import { createMemoryRateLimiter } from '../rate-limit/memory.ts'
import { startHttpServer, type RunningHttpServer } from '../server.ts'
import { createFakeApplication } from './fake-application.ts'
import type { FakeState } from './fake-state.ts'
import { createFakeStaging, type FakeStaging } from './fake-staging.ts'
import { ACCOUNT, NOW } from './fixtures.ts'

export const KEY = 'mlk_all'
export const READER = 'mlk_reader'
export const OPERATOR_TOKEN = 'operator-secret'
export const METRICS_TOKEN = 'metrics-secret'

export interface LogLine {
  level: 'info' | 'warn' | 'error'
  fields: { [name: string]: unknown }
  message: string
}

export interface Edge extends AsyncDisposable {
  application: Application
  fake: FakeState
  staging: FakeStaging
  app: HttpApp
  server: RunningHttpServer
  clock: Clock & { time: number }
  log: LogLine[]
  finished: FinishedRequest[]
  /** With the key of an account that may everything, unless the headers say otherwise. */
  fetch: (path: string, init?: RequestInit & { json?: unknown; key?: string | null }) => Promise<Response>
  /** The same as the operator. */
  admin: (path: string, init?: RequestInit & { json?: unknown }) => Promise<Response>
}

const PRINCIPAL: Principal = {
  accountId: ACCOUNT,
  keyId: 'keyall00',
  capabilities: ['read', 'write', 'delete'],
  tier: 'enterprise',
  status: 'active',
}

/** The whole edge over a fake application, on a port of its own. */
export async function startEdge(changes: Partial<HttpOptions> = {}): Promise<Edge> {
  const staging = await createFakeStaging()
  const { application, state: fake } = createFakeApplication((id) => staging.release(id))
  fake.principals.set(KEY, PRINCIPAL)
  fake.principals.set(READER, { ...PRINCIPAL, keyId: 'reader00', capabilities: ['read'] })
  const clock = { time: NOW, now: () => clock.time }
  const log: LogLine[] = []
  const finished: FinishedRequest[] = []
  const write = (level: LogLine['level']) => (fields: object, message: string) =>
    void log.push({ level, fields: fields as LogLine['fields'], message })
  const tierLimits: Record<Tier, number> = { free: 2, standard: 10, enterprise: 1_000_000 }
  const app = createHttpApp({
    application,
    staging,
    rateLimiter: createMemoryRateLimiter({ now: clock.now }),
    tierLimits,
    followerLimits: { free: 1, standard: 2, enterprise: 3 },
    positionSecrets: ['sixteen bytes or more'],
    operatorToken: OPERATOR_TOKEN,
    logger: { info: write('info'), warn: write('warn'), error: write('error') },
    clock,
    release: { version: '0.1.0', commit: '1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d', builtAt: null },
    environment: 'test',
    sandbox: 'none',
    metrics: {
      eventsTold: () => undefined,
      connectionRefused: () => undefined,
      requestFinished: (request) => void finished.push(request),
      render: async () => ({ contentType: 'text/plain; version=0.0.4', body: 'up 1\n' }),
    },
    metricsToken: METRICS_TOKEN,
    ...changes,
  })
  const server = await startHttpServer(app, { host: '127.0.0.1', port: 0 })
  const send = (path: string, { json, ...init }: RequestInit & { json?: unknown }, headers: Headers) => {
    if (json !== undefined) headers.set('content-type', 'application/json')
    for (const [name, value] of new Headers(init.headers)) headers.set(name, value)
    const body = json === undefined ? init.body : JSON.stringify(json)
    return fetch(server.url + path, { ...init, headers, ...(body !== undefined && { body }) })
  }
  return {
    application,
    fake,
    staging,
    app,
    server,
    clock,
    log,
    finished,
    fetch: (path, { key = KEY, ...init } = {}) =>
      send(path, init, new Headers(key === null ? {} : { 'x-api-key': key })),
    admin: (path, init = {}) => send(path, init, new Headers({ 'x-operator-token': OPERATOR_TOKEN })),
    async [Symbol.asyncDispose]() {
      await server.close(200)
      await staging.dispose()
    },
  }
}

/** The answer's body, parsed by the route's own answer schema: an unknown or missing field fails. */
export async function success<Id extends OperationId>(
  response: Response,
  id: Id,
): Promise<(typeof routes)[Id]['answer'] extends infer S extends z.ZodType ? z.output<S> : never> {
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${response.status} ${text}`)
  return (routes[id].answer as z.ZodType).parse(JSON.parse(text)) as never
}

export interface Refused {
  status: number
  code: string
  message: string
  details: { [name: string]: z.core.util.JSONType }
}

/** A refusal, parsed by the schema of its shape. */
export async function refusal(response: Response, shape: ErrorShape = 'A'): Promise<Refused> {
  const body: unknown = await response.json()
  const { status } = response
  if (shape === 'A') {
    const { message, error } = ERROR_BODIES.A.parse(body)
    return { status, message, ...error }
  }
  if (shape === 'C') return { status, ...ERROR_BODIES.C.parse(body).error }
  const { message, code, details = {} } = ERROR_BODIES.B.parse(body)
  return { status, message, code, details }
}
