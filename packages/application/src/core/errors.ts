import { DomainError, isoTime, type Json } from '@medialog/kernel'
import { EngineUnavailable, UnreadableFile } from '../ports/index.ts'

/** The key is missing, malformed, unknown, expired or revoked: one answer for all, so that it reveals nothing. */
export class InvalidApiKey extends DomainError {
  constructor() {
    super('INVALID_API_KEY', 'The API key is missing or not valid. Send it in the X-Api-Key header.')
  }
}

/** The caller cancelled the upload before the item was stored. */
export class UploadCancelled extends DomainError {
  constructor() {
    super('UPLOAD_CANCELLED', 'The caller cancelled the upload.')
  }
}

export class AccountSuspended extends DomainError {
  constructor() {
    super(
      'ACCOUNT_SUSPENDED',
      'The account is suspended: it can read, move and delete, but nothing that costs money.',
    )
  }
}

/** There is no such item, or it is another account's. */
export class MediaItemNotFound extends DomainError {
  constructor(id: string) {
    super('RESOURCE_NOT_FOUND', 'There is no such media item.', {
      resource_type: 'media_item',
      resource_id: id,
    })
  }
}

/** The upload is stored and paid for, and what has to be read for its answer cannot be read now. */
export class StoredUnread extends EngineUnavailable {
  readonly mediaId: string

  /** @param mediaId as clients know it */
  constructor(mediaId: string, cause: EngineUnavailable) {
    const { engine, message, retryAfterSeconds } = cause
    super(engine, message, { retryAfterSeconds, cause })
    this.mediaId = mediaId
  }
}

/** The log has no such request, or it is another account's. */
export class RequestNotFound extends DomainError {
  constructor(id: string) {
    super('RESOURCE_NOT_FOUND', 'Nothing is known of such a request.', {
      resource_type: 'request',
      resource_id: id,
    })
  }
}

/** There is no such erasure, or it is another account's. */
export class ErasureNotFound extends DomainError {
  constructor(id: string) {
    super('RESOURCE_NOT_FOUND', 'There is no such erasure.', { resource_type: 'erasure', resource_id: id })
  }
}

export class CollectionNotFound extends DomainError {
  constructor(collection: string) {
    super('COLLECTION_NOT_FOUND', 'There is no such collection.', {
      resource_type: 'collection',
      resource_id: collection,
    })
  }
}

/** The webhook has no such delivery, or it was forgotten since. */
export class DeliveryNotFound extends DomainError {
  constructor(id: string) {
    super('RESOURCE_NOT_FOUND', 'There is no such delivery.', {
      resource_type: 'delivery',
      resource_id: id,
    })
  }
}

/** Some items of a move are not there: none was moved. */
export class ItemsNotFound extends DomainError {
  constructor(ids: readonly string[]) {
    super('ITEMS_NOT_FOUND', 'Some items were not found; nothing was moved.', { missing: [...ids] })
  }
}

export class QuotaExceeded extends DomainError {
  constructor(limit: number, used: number) {
    super('QUOTA_EXCEEDED', 'The storage quota is used up. Delete items, or ask the operator for more.', {
      quota_limit: limit,
      used,
    })
  }
}

/** The account has asked for as much as may wait. */
export class TooMuchWaiting extends DomainError {
  readonly retryAfterSeconds: number

  constructor(message: string, details: { [key: string]: number }, retryAfterSeconds: number) {
    super('RATE_LIMIT_EXCEEDED', `${message}: try again in ${retryAfterSeconds} s.`, {
      ...details,
      retry_after_seconds: retryAfterSeconds,
    })
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** As many batches, or bytes of theirs, wait to be worked on as the tier may have. */
export class BacklogFull extends TooMuchWaiting {
  constructor(
    backlog: { open_batches: number; most_batches: number; staged_bytes: number; most_bytes: number },
    retryAfterSeconds: number,
  ) {
    super(
      `Batches under way: ${backlog.open_batches} with ${backlog.staged_bytes} bytes, of at most ${backlog.most_batches} with ${backlog.most_bytes}`,
      backlog,
      retryAfterSeconds,
    )
  }
}

/** As many files, or bytes of theirs, arrive or are worked on as the account may have at once. */
export class TooManyFiles extends TooMuchWaiting {
  constructor(underWay: { files: number; most_files: number; bytes: number; most_bytes: number }) {
    super(
      `Files under way: ${underWay.files} with ${underWay.bytes} bytes, of at most ${underWay.most_files} with ${underWay.most_bytes}`,
      underWay,
      1,
    )
  }
}

/** As many deliveries wait at a webhook as may be asked for. */
export class DeliveriesWaiting extends TooMuchWaiting {
  constructor(pending: number, most: number, retryAfterSeconds: number) {
    super(
      `${pending} deliveries wait at the webhook, and nothing is added to ${most}`,
      { pending, most_pending: most },
      retryAfterSeconds,
    )
  }
}

/** Asked of a time before the account was opened. */
export class AccountNotYetOpen extends DomainError {
  constructor(openedAt: number, asOf: number) {
    super('ACCOUNT_NOT_FOUND', 'There was no such account then: it was opened later.', {
      opened_at: isoTime(openedAt),
      as_of: isoTime(asOf),
    })
  }
}

/** What the caller has seen is beyond the end of the log, which was restored to before it. */
export class PositionLost extends DomainError {
  constructor() {
    super(
      'POSITION_LOST',
      'X-Min-Position is beyond the end of the log: the service was restored to before it. Read without it.',
    )
  }
}

/** What the key's first request made was erased since. */
export class ReplayGone extends DomainError {
  constructor() {
    super('GONE', 'What this Idempotency-Key answered for was deleted or replaced since; use a new key.')
  }
}

/** A parameter does not fit; `code` is the one that the endpoint documents. */
export class InvalidInput extends DomainError {
  constructor(code: string, message: string, details: { [key: string]: Json } = {}) {
    super(code, message, details)
  }
}

/** What the log keeps of a failure: a word of ours, never a message that might quote a file. */
export function reasonOf(error: unknown): string {
  if (error instanceof UnreadableFile) return error.reason
  if (error instanceof DomainError) return error.code
  return error instanceof EngineUnavailable ? `${error.engine} unavailable` : 'processing error'
}
