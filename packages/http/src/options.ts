import type { Application, RateLimiter, Staging } from '@medialog/application'
import type { Tier } from '@medialog/domain'
import type { Clock } from '@medialog/kernel'
import type { PageFiles } from './page-files.ts'

/** Which software runs. */
export interface Release {
  /** `0.2.0`, of CHANGELOG.md. */
  version: string
  /** 40 hexadecimal digits; null where neither the build nor a checkout says it. */
  commit: string | null
  /** When the image was built, in ISO 8601; null outside one. */
  builtAt: string | null
}

/** What one log line is made with: a pino logger fits. */
export interface Logger {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

export interface FinishedRequest {
  method: string
  /** The route's template (`/v1/media/{media_id}`), or `unknown`: never a path with ids in it. */
  route: string
  status: number
  seconds: number
}

export interface Metrics {
  requestFinished(request: FinishedRequest): void
  /** So many events were sent to a follower. */
  eventsTold(count: number): void
  /** A connection was closed unanswered, since there were too many. */
  connectionRefused(): void
  /** In the format that `contentType` names. */
  render(): Promise<{ contentType: string; body: string }>
}

export const BODY_TIMEOUT_MS = 30_000

/** What a part of the edge uses that needs these features alone. */
export type HttpOptionsOf<Feature extends keyof Application> = Omit<HttpOptions, 'application'> & {
  application: Pick<Application, Feature>
}

/** Everything the edge uses; the composition root fills it. */
export interface HttpOptions {
  application: Application
  staging: Staging
  rateLimiter: RateLimiter
  /** Requests per key and window. */
  tierLimits: Readonly<Record<Tier, number>>
  /** How often at once an account of the tier may follow its events in this process. */
  followerLimits: Readonly<Record<Tier, number>>
  /**
   * Secrets of at least 16 bytes that all processes of the service share: the first seals X-Position, and what the others
   * sealed is known too.
   */
  positionSecrets: readonly (string | Uint8Array)[]
  operatorToken: string
  /** Whether a listener at this port answers `/admin`; without it each does. */
  servesAdmin?: (port: number | undefined) => boolean
  /** Whose pages browsers let read answers: origins such as `https://app.example.com`, or `*`. None unless given. */
  corsOrigins?: readonly string[]
  /** Reads the files of the console when it is first opened; null where it is not built. */
  readConsole?: () => Promise<PageFiles | null>
  logger: Logger
  clock: Clock
  /** The software, for `/healthz` and `/v1/status`. */
  release: Release
  /** `production`, `development` …, and where it runs: for `/v1/status`, as what follows. */
  environment: string
  datacenter?: string
  /** What confines the processes that read files, in words. */
  sandbox: string
  metrics?: Metrics
  /** `/metrics` is served here only with one, as `Authorization: Bearer <token>`; else it has a listener of its own. */
  metricsToken?: string
  /** How long a JSON body may take, and an upload may pause, in milliseconds: 30 s unless set. */
  bodyTimeoutMs?: number
}
