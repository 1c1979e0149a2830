import type { CliError } from '../client/errors.ts'
import type { Look } from '../terminal/look.ts'
import { clean } from '../terminal/text.ts'

/** What happened, what the server added to it, and what to do next. */
export function renderFailure(error: CliError, look: Look): string[] {
  const lines = [`${look.bad('Error:')} ${clean(error.message)}`]
  const { refusal } = error
  if (refusal) {
    for (const [name, value] of Object.entries(refusal.details))
      if (!HIDDEN.has(name))
        lines.push(
          look.dim(`  ${clean(name)}: ${clean(typeof value === 'object' ? JSON.stringify(value) : value)}`),
        )
    if (refusal.requestId) lines.push(look.dim(`  ${error.code}, request ${clean(refusal.requestId)}`))
  }
  if (error.hint) lines.push(clean(error.hint))
  return lines
}

/** Said already: by the message, or on a line of its own. */
const HIDDEN = new Set(['request_id', 'suggestion', 'resource_type'])

/** The same for programs, one document. */
export function failureDocument(error: CliError): object {
  return {
    error: {
      code: error.code,
      message: error.message,
      ...(error.hint && { hint: error.hint }),
      ...(error.refusal && {
        status: error.refusal.status,
        details: error.refusal.details,
        request_id: error.refusal.requestId,
      }),
    },
    exit_code: error.exitCode,
  }
}
