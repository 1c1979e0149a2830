import { createClient, Unreachable, type Client } from '@medialog/client'
import { createContext, use } from 'react'
import type { Feed } from '../data/live.ts'
import { forgetPaid, type PaidRequests } from '../data/paid-requests.ts'
import type { Store } from '../data/store.ts'
import type { Uploads } from '../library/uploads.ts'
import { connection } from './connection.ts'

/** What a person signed in with: the key of an account, the operator's token, or both. */
export interface Secrets {
  apiKey: string | null
  operatorToken: string | null
}

export interface Session {
  secrets: Secrets
  client: Client
  /** The account's events; null without an API key. */
  feed: Store<Feed> | null
  uploads: Uploads
  /** The items that are chosen in the library: their names by id. */
  selection: Store<ReadonlyMap<string, string>>
  paid: PaidRequests
  /** Forgets the secrets and all that was read with them, in other tabs too. */
  signOut: () => void
}

export const NOBODY: Secrets = { apiKey: null, operatorToken: null }

export const isSignedIn = ({ apiKey, operatorToken }: Secrets): boolean =>
  apiKey !== null || operatorToken !== null

const NAMES = { apiKey: 'medialog.api-key', operatorToken: 'medialog.operator-token' } as const
const PARTS = Object.keys(NAMES) as (keyof Secrets)[]

const SIGNED_OUT = 'medialog.signed-out'

/** Whether one signed out in this tab: it does not take what another tab is signed in with. */
export const isSignedOut = (): boolean => sessionStorage.getItem(SIGNED_OUT) !== null

export const markSignedOut = (): void => sessionStorage.setItem(SIGNED_OUT, 'yes')

/** Of this tab, else of this device where the person chose so. */
export function storedSecrets(): Secrets {
  const stored = (name: string): string | null => sessionStorage.getItem(name) ?? localStorage.getItem(name)
  return { apiKey: stored(NAMES.apiKey), operatorToken: stored(NAMES.operatorToken) }
}

export function storeSecrets(secrets: Secrets, where: 'tab' | 'device'): void {
  forgetSecrets()
  sessionStorage.removeItem(SIGNED_OUT)
  const storage = where === 'tab' ? sessionStorage : localStorage
  for (const part of PARTS) if (secrets[part] !== null) storage.setItem(NAMES[part], secrets[part])
}

/** What was paid for with a key is forgotten with it. */
export function forgetSecrets(): void {
  forgetPaid()
  for (const storage of [sessionStorage, localStorage])
    for (const part of PARTS) storage.removeItem(NAMES[part])
}

/** A client of the service that the page came from. It sets `connection` while no answer comes. */
export const clientOf = ({ apiKey, operatorToken }: Secrets): Client =>
  createClient({
    url: location.origin,
    ...(apiKey !== null && { apiKey }),
    ...(operatorToken !== null && { operatorToken }),
    onRetry(error) {
      if (error instanceof Unreachable) connection.set('lost')
    },
  })

export const SessionContext = createContext<Session | null>(null)

/** @throws before signing in: only views use it */
export function useSession(): Session {
  const session = use(SessionContext)
  if (!session) throw new Error('There is no session.')
  return session
}
