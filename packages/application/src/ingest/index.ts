import type { Quota } from '../billing/quota.ts'
import type { RequestContext } from '../core/context.ts'
import type { Format } from '../ports/index.ts'
import { Arrivals, type Arrival, type ArrivalPorts, type FileUse } from './arrivals.ts'
import type { UploadedMedia } from './read-ingest.ts'
import { uploadMedia, type UploadMedia, type UploadPorts } from './upload-media.ts'

export interface IngestUseCases {
  /** Bytes of the largest file that any format may have. */
  readonly largestFile: number
  /** The format of a file by its first bytes and name, with its limits. @throws UnsupportedFileType, UnreadableFile */
  identify(filename: string, head: Uint8Array): Format
  /**
   * Admits a file that is sent to be stored or analysed, before its body is read; to be disposed of when it has been answered.
   * @throws TooManyFiles, EngineUnavailable
   */
  receiveFile(context: RequestContext, use: FileUse, idempotencyKey: string | undefined): Promise<Arrival>
  /**
   * Ingests one staged file and always releases the staging.
   * @throws UnsupportedFileType, UnreadableFile, DuplicateMedia, IngestInProgress, InsufficientFunds, QuotaExceeded,
   *   AccountSuspended, IdempotencyKeyReused, RequestInProgress, ReplayGone, EngineUnavailable
   */
  upload(context: RequestContext, command: UploadMedia, signal?: AbortSignal): Promise<UploadedMedia>
}

export function ingest(ports: ArrivalPorts & UploadPorts, quota: Quota): IngestUseCases {
  const { understanding } = ports
  const arrivals = new Arrivals(ports)
  return {
    largestFile: understanding.largestFile,
    identify: (filename, head) => understanding.identify(filename, head),
    receiveFile: (context, use, idempotencyKey) => arrivals.begin(context, use, idempotencyKey),
    upload: (context, command, signal) => uploadMedia(ports, quota, context, command, signal),
  }
}
