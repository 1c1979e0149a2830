import { Refused } from '@medialog/client'
import { QueryClientProvider, type QueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useState } from 'react'
import { Redirect, Route, Router, Switch } from 'wouter'
import { Ask } from './ask/ask.tsx'
import { Billing } from './billing/billing.tsx'
import { RequestView } from './billing/request.tsx'
import { follow, positionOf } from './data/live.ts'
import { PaidRequests } from './data/paid-requests.ts'
import { createCache } from './data/reads.ts'
import { Store } from './data/store.ts'
import { Batch } from './library/batch.tsx'
import { Batches } from './library/batches.tsx'
import { Item } from './library/item.tsx'
import { Library } from './library/library.tsx'
import { Uploads } from './library/uploads.ts'
import { Boundary } from './parts/boundary.tsx'
import { NotFound } from './parts/not-found.tsx'
import {
  clientOf,
  forgetSecrets,
  SessionContext,
  storedSecrets,
  useSession,
  type Session,
} from './session/session.ts'
import { Live } from './live/live.tsx'
import { Operator } from './operator/operator.tsx'
import { Search } from './search/search.tsx'
import { Similar } from './search/similar.tsx'
import { SignIn } from './session/sign-in.tsx'
import { Shell } from './shell.tsx'
import { t } from './texts/texts.ts'

/** The whole console: signing in, then the views. */
export function App() {
  const [secrets, setSecrets] = useState(storedSecrets)
  const [reason, setReason] = useState<string | null>(null)
  const [held, setHeld] = useState<{ session: Session; cache: QueryClient } | null>(null)
  const isSignedIn = secrets.apiKey !== null || secrets.operatorToken !== null
  const end = useCallback((why?: string) => {
    forgetSecrets()
    setReason(why ?? null)
    setSecrets({ apiKey: null, operatorToken: null })
  }, [])
  // What was read and begun with one key ends with it.
  useEffect(() => {
    if (!isSignedIn) return
    const leaving = new AbortController()
    const client = clientOf(secrets)
    const failed = (error: unknown): void => {
      if (error instanceof Refused && error.status === 401) end(t.signIn.ended)
    }
    const cache = createCache(failed)
    const uploads = new Uploads(client, leaving.signal)
    const selection = new Store<ReadonlyMap<string, string>>(new Map())
    const paid = new PaidRequests(client, leaving.signal, (error) => {
      failed(error)
      void cache.invalidateQueries({ queryKey: ['readUsage'] })
    })
    async function begin(): Promise<void> {
      const isAccount = secrets.apiKey !== null
      const position = isAccount ? await positionOf(client, leaving.signal) : undefined
      if (leaving.signal.aborted) return
      const feed = isAccount ? follow(client, cache, position, leaving.signal) : null
      setHeld({ session: { secrets, client, feed, uploads, paid, selection, end }, cache })
    }
    void begin()
    return () => {
      leaving.abort()
      cache.clear()
      setHeld(null)
    }
  }, [secrets, isSignedIn, end])
  if (!isSignedIn) return <SignIn reason={reason} signedIn={setSecrets} />
  if (!held) return null
  return (
    <SessionContext value={held.session}>
      <QueryClientProvider client={held.cache}>
        <Router base="/console">
          <Shell>
            <Boundary>
              <Views />
            </Boundary>
          </Shell>
        </Router>
      </QueryClientProvider>
    </SessionContext>
  )
}

/** A view is named by the address alone, so every one can be linked to. */
const Views = () => (
  <Switch>
    <Route path="/">
      <Home />
    </Route>
    <Route path="/library" component={Library} />
    <Route path="/library/:mediaId/:part?">
      {({ mediaId, part }) => <Item key={mediaId} mediaId={mediaId} part={part} />}
    </Route>
    <Route path="/search" component={Search} />
    <Route path="/similar/:mediaId">{({ mediaId }) => <Similar key={mediaId} mediaId={mediaId} />}</Route>
    <Route path="/ask" component={Ask} />
    <Route path="/billing/:part?">{({ part }) => <Billing part={part} />}</Route>
    <Route path="/requests/:requestId">{({ requestId }) => <RequestView requestId={requestId} />}</Route>
    <Route path="/live/:part?/:id?">{({ part }) => <Live part={part} />}</Route>
    <Route path="/operator/:part?/:id?">{({ part }) => <Operator part={part} />}</Route>
    <Route path="/batches" component={Batches} />
    <Route path="/batches/:batchId">{({ batchId }) => <Batch batchId={batchId} />}</Route>
    <Route component={NotFound} />
  </Switch>
)

function Home() {
  const { secrets } = useSession()
  return <Redirect to={secrets.apiKey === null ? '/operator' : '/library'} replace />
}
