import type { Role } from './roles.ts'

/**
 * What a person sees when the service is ready: the address, the key at first start, and what to try; before that, what
 * is to be done.
 */
export function greeting(url: string, apiKey: string | null, toDo: readonly string[]): string {
  const ready = [...toDo.map((line) => `To do: ${line}.`), `Medialog is ready at ${url}`]
  if (apiKey === null) return ready.join('\n')
  return [
    `API key: ${apiKey}`,
    '',
    'Try it:',
    `  curl -H "X-Api-Key: ${apiKey}" -F file=@README.md ${url}/v1/media`,
    `  curl -H "X-Api-Key: ${apiKey}" ${url}/v1/media`,
    `  curl -H "X-Api-Key: ${apiKey}" -H "Content-Type: application/json" -d '{"query": "what is this about"}' ${url}/v1/search`,
    '',
    `Or sign in with the key in a browser: ${url}/console`,
    `The reference is at ${url}/docs. The key is shown this once.`,
    '',
    ...ready,
  ].join('\n')
}

/** The same of a process that is one of several. */
export const greetingOf = (roles: readonly Role[], url: string, answers = 'requests'): string =>
  `Medialog (${roles.join(', ')}) is ready at ${url}, for ${answers}`
