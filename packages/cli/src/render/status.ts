import type { StatusAnswer } from '../client/answers.ts'
import type { Look, Paint } from '../terminal/look.ts'
import { pairs } from '../terminal/table.ts'
import { clean } from '../terminal/text.ts'

/** @param software its version */
export function renderStatus(
  status: StatusAnswer,
  { url, software }: { url: string; software: string },
  look: Look,
): string[] {
  const { account, notice, performance, providers } = status
  const limits = account?.rate_limits
  const entries: [string, string][] = [
    ['server', `${url}${look.dim(`, version ${clean(software)}, API ${clean(status.version)}`)}`],
    ['status', stateIn(look, status.status)],
    ...Object.entries(status.components).map(([name, state]): [string, string] => [
      clean(name),
      stateIn(look, state),
    ]),
  ]
  if (account) entries.push(['tier', clean(account.tier)])
  if (account?.capabilities) entries.push(['key may', account.capabilities.map(clean).join(', ')])
  if (limits) entries.push(['requests', `${limits.remaining} of ${limits.limit} left this minute`])
  if (performance) entries.push(['answered in', `${performance.response_time_ms} ms`])
  for (const { use, model, breaker, trouble } of providers ?? []) {
    const state = breaker === 'closed' ? '' : ` ${look.warn(clean(trouble ?? breaker))}`
    entries.push([clean(use), `${clean(model)}${state}`])
  }
  if (notice) entries.push([clean(notice.type), look.warn(clean(notice.message))])
  return pairs(entries, look)
}

function stateIn(look: Look, state: string): string {
  const paint: Paint = state === 'operational' ? look.good : state === 'degraded' ? look.warn : look.bad
  return paint(clean(state))
}
