export type { Answer, FollowOptions, OpenOptions, RequestOptions, UploadProgress } from './calls.ts'
export {
  createClient,
  Medialog,
  textOf,
  type Client,
  type ClientOptions,
  type DataOf,
  type JsonOperationId,
  type PagedOperationId,
} from './client.ts'
export { MedialogError, Refused, Unreachable } from './errors.ts'
export type { Feed, FeedEvent, FeedInput } from './feed.ts'
export type { FileSource } from './file-source.ts'
export type * from './operations.ts'
export { operations } from './operations.ts'
export type { Reply } from './platform/transport.ts'
export type { AnswerEvent } from './questions.ts'
export { newIdempotencyKey } from './requests.ts'
export { serverSentEvents, type ServerSentEvent } from './server-sent-events.ts'
export { verifyWebhook, WebhookVerificationError } from './webhooks.ts'
