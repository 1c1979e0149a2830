import type { Json } from './events.ts'

/**
 * A refusal with a stable code: a value of the domain that callers match by `code` or class, never by message.
 * Which HTTP status and body shape it becomes is known in the http package alone.
 */
export class DomainError extends Error {
  readonly code: string
  readonly details: { readonly [key: string]: Json }

  constructor(code: string, message: string, details: { [key: string]: Json } = {}) {
    super(message)
    this.name = new.target.name
    this.code = code
    this.details = details
  }
}
