import { Refused, type AskInput } from '@medialog/client'
import type { QueryClient } from '@tanstack/react-query'
import { follow, positionOf } from '../data/live.ts'
import { PaidRequests } from '../data/paid-requests.ts'
import { createCache } from '../data/reads.ts'
import { Store } from '../data/store.ts'
import { Uploads } from '../library/uploads.ts'
import { forgetKept, keep } from '../parts/kept.ts'
import { t } from '../texts/texts.ts'
import { clientOf, forgetSecrets, markSignedOut, type Secrets, type Session } from './session.ts'
import { answerOtherTabs, tellSignedOut } from './tabs.ts'

const isEnd = (error: unknown): boolean => error instanceof Refused && error.status === 401

/**
 * Begins all that goes on while one is signed in. It ends with the signal.
 * @param ended called where one signs out, here or in another tab, and once the key is no longer valid, which is the reason then
 */
export function openSession(
  secrets: Secrets,
  ended: (reason: string) => void,
  signal: AbortSignal,
): { cache: QueryClient; session: Promise<Session> } {
  /** Who signs in next may be somebody else: nothing is left of what one wrote. */
  function leave(): void {
    forgetSecrets()
    forgetKept()
    markSignedOut()
    ended('')
  }
  function signOut(): void {
    tellSignedOut(secrets)
    leave()
  }
  function failed(error: unknown): void {
    if (!isEnd(error)) return
    forgetSecrets()
    ended(t.signIn.ended)
  }
  const client = clientOf(secrets)
  const cache = createCache(failed)
  const paid = new PaidRequests(client, signal, ({ id, input }, error) => {
    // With another key it can be asked again.
    if (id === 'ask' && isEnd(error)) keep('question', (input as AskInput).query)
    failed(error)
    void cache.invalidateQueries({ queryKey: ['readUsage'] })
  })
  const uploads = new Uploads(client, signal)
  const selection = new Store<ReadonlyMap<string, string>>(new Map())
  answerOtherTabs(secrets, leave, signal)
  async function begin(): Promise<Session> {
    const isAccount = secrets.apiKey !== null
    const position = isAccount ? await positionOf(client, signal) : undefined
    const feed = isAccount && !signal.aborted ? follow(client, cache, position, failed, signal) : null
    return { secrets, client, feed, uploads, paid, selection, signOut }
  }
  return { cache, session: begin() }
}
