import { QueryClientProvider, type QueryClient } from '@tanstack/react-query'
import { Suspense, useEffect, useState } from 'react'
import { Redirect, Route, Router, Switch } from 'wouter'
import { Library } from './library/library.tsx'
import { lazyPart } from './parts/lazy-part.ts'
import { LoadingView } from './parts/states.tsx'
import { Boundary } from './parts/boundary.tsx'
import { NotFound } from './parts/not-found.tsx'
import { Opening } from './parts/opening.tsx'
import { openSession } from './session/open-session.ts'
import {
  isSignedIn,
  isSignedOut,
  NOBODY,
  SessionContext,
  storedSecrets,
  useSession,
  type Secrets,
  type Session,
} from './session/session.ts'
import { askOtherTabs } from './session/tabs.ts'
import { SignIn } from './session/sign-in.tsx'
import { Shell } from './shell.tsx'

// What the library does not need comes with the view that does.
const Ask = lazyPart(async () => (await import('./ask/ask.tsx')).Ask)
const Batch = lazyPart(async () => (await import('./library/batch.tsx')).Batch)
const Batches = lazyPart(async () => (await import('./library/batches.tsx')).Batches)
const Billing = lazyPart(async () => (await import('./billing/billing.tsx')).Billing)
const Item = lazyPart(async () => (await import('./library/item.tsx')).Item)
const Live = lazyPart(async () => (await import('./live/live.tsx')).Live)
const Operator = lazyPart(async () => (await import('./operator/operator.tsx')).Operator)
const RequestView = lazyPart(async () => (await import('./billing/request.tsx')).RequestView)
const Search = lazyPart(async () => (await import('./search/search.tsx')).Search)
const Similar = lazyPart(async () => (await import('./search/similar.tsx')).Similar)

interface OpenSession {
  session: Session
  cache: QueryClient
}

/** The whole console: signing in, then the views. */
export function App() {
  /** Null while other tabs are asked. */
  const [secrets, setSecrets] = useState<Secrets | null>(() => {
    const stored = storedSecrets()
    return isSignedIn(stored) || isSignedOut() ? stored : null
  })
  const [reason, setReason] = useState('')
  const [held, setHeld] = useState<OpenSession | null>(null)
  useEffect(() => {
    if (secrets === null) void askOtherTabs().then(setSecrets)
  }, [secrets])
  // What was read and begun with one key ends with it.
  useEffect(() => {
    if (secrets === null || !isSignedIn(secrets)) return
    const leaving = new AbortController()
    function ended(why: string): void {
      setReason(why)
      setSecrets(NOBODY)
    }
    const { cache, session } = openSession(secrets, ended, leaving.signal)
    async function hold(): Promise<void> {
      const opened = await session
      if (!leaving.signal.aborted) setHeld({ cache, session: opened })
    }
    void hold()
    return () => {
      leaving.abort()
      cache.clear()
      setHeld(null)
    }
  }, [secrets])
  if (secrets === null) return <Opening />
  if (!isSignedIn(secrets)) return <SignIn reason={reason} signedIn={setSecrets} />
  if (!held) return <Opening />
  return (
    <SessionContext value={held.session}>
      <QueryClientProvider client={held.cache}>
        <Router base="/console">
          <Shell>
            <Boundary>
              <Suspense fallback={<LoadingView />}>
                <Views />
              </Suspense>
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
