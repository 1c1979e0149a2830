/** What an error says, for people: never empty, whatever was thrown. */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return `something that is no error was thrown: ${String(error)}`
  const { message, name, cause } = error
  return message || (cause === undefined ? `${name}, without a message` : explain(cause))
}
