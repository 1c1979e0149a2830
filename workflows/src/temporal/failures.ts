import { QuotaExceeded } from '@medialog/application/core/errors'
import {
  EngineUnavailable,
  StreamDamaged,
  UnreadableFile,
  UnsupportedFileType,
  type DamagedStream,
  type UnreadableReason,
} from '@medialog/application/ports'
import {
  AccountIsClosed,
  ClaimLost,
  DuplicateMedia,
  IngestInProgress,
  InsufficientFunds,
} from '@medialog/domain'
import type { Money, Uuid } from '@medialog/kernel'
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common'
import { JobStopped } from '../stopping.ts'

/** A step failed for no reason that the saga knows: what it was is in the log of the worker, and nowhere else. */
export class StepFailed extends Error {
  override name = 'StepFailed'

  constructor() {
    super('A step failed; the log of the process that ran it says why.')
  }
}

/** How an error that the saga decides on crosses between processes. */
interface Kind {
  isOf: (error: unknown) => boolean
  pack: (error: never) => unknown[]
  unpack: (...packed: never[]) => Error
}

const kind = <E extends Error, Packed extends unknown[] | []>(
  type: abstract new (...args: never[]) => E,
  unpack: (...packed: Packed) => E,
  pack: (error: E) => Packed,
): Kind => ({ isOf: (error) => error instanceof type, pack, unpack: unpack as unknown as Kind['unpack'] })

const KINDS: ReadonlyMap<string, Kind> = new Map(
  Object.entries<Kind>({
    AccountIsClosed: kind(
      AccountIsClosed,
      () => new AccountIsClosed(),
      () => [],
    ),
    ClaimLost: kind(
      ClaimLost,
      () => new ClaimLost(),
      () => [],
    ),
    DuplicateMedia: kind(
      DuplicateMedia,
      (existing: { media_id?: string; collection?: string }) => new DuplicateMedia(existing),
      ({ details }) => [details],
    ),
    EngineUnavailable: kind(
      EngineUnavailable,
      (engine: string, message: string, retryAfterSeconds: number) =>
        new EngineUnavailable(engine, message, { retryAfterSeconds }),
      ({ engine, message, retryAfterSeconds }) => [engine, message, retryAfterSeconds],
    ),
    IngestInProgress: kind(
      IngestInProgress,
      (jobId: Uuid) => new IngestInProgress(jobId),
      ({ jobId }) => [jobId],
    ),
    InsufficientFunds: kind(
      InsufficientFunds,
      (required: Money, balance: Money) => new InsufficientFunds(required, balance),
      ({ required, balance }) => [required, balance],
    ),
    JobStopped: kind(
      JobStopped,
      () => new JobStopped(),
      () => [],
    ),
    QuotaExceeded: kind(
      QuotaExceeded,
      (limit: number, used: number) => new QuotaExceeded(limit, used),
      ({ details }) => [Number(details.quota_limit), Number(details.used)],
    ),
    StepFailed: kind(
      StepFailed,
      () => new StepFailed(),
      () => [],
    ),
    StreamDamaged: kind(
      StreamDamaged,
      (damage: DamagedStream) => new StreamDamaged(damage),
      ({ damage }) => [damage],
    ),
    UnreadableFile: kind(
      UnreadableFile,
      (reason: UnreadableReason, message: string) => new UnreadableFile(reason, message),
      ({ reason, message }) => [reason, message],
    ),
    UnsupportedFileType: kind(
      UnsupportedFileType,
      (filename: string, message: string) => new UnsupportedFileType(filename, message),
      ({ filename, message }) => [filename, message],
    ),
  }),
)

/** Types of failures that the saga decides on: a retry cannot help. */
export const DECIDED_ON: string[] = [...KINDS.keys()]

/** The failure that says the same; null where the saga knows no such error. */
export function failureOfKnown(error: unknown): ApplicationFailure | null {
  for (const [type, { isOf, pack }] of KINDS)
    if (isOf(error))
      return ApplicationFailure.create({
        message: type,
        type,
        details: pack(error as never),
        category: ApplicationFailureCategory.BENIGN,
      })
  return null
}

/** The error that a failure says, however often it was wrapped on its way; of any other, StepFailed. */
export function errorOf(failure: unknown): Error {
  for (let cause = failure; cause instanceof Error; cause = cause.cause)
    if (cause instanceof ApplicationFailure) {
      const known = KINDS.get(cause.type ?? '')
      if (known) return known.unpack(...((cause.details ?? []) as never[]))
    }
  return new StepFailed()
}
