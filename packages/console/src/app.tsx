import { Refused } from '@medialog/client'
import { QueryClientProvider } from '@tanstack/react-query'
import { useCallback, useMemo, useState } from 'react'
import { Redirect, Route, Router, Switch } from 'wouter'
import { createCache } from './data/reads.ts'
import { Item } from './library/item.tsx'
import { Library } from './library/library.tsx'
import { NotFound } from './parts/not-found.tsx'
import { clientOf, forgetSecrets, SessionContext, storedSecrets, type Session } from './session/session.ts'
import { SignIn } from './session/sign-in.tsx'
import { Shell } from './shell.tsx'
import { t } from './texts/texts.ts'

/** The whole console: signing in, then the views. A view is named by the address alone, so every one can be linked to. */
export function App() {
  const [secrets, setSecrets] = useState(storedSecrets)
  const [reason, setReason] = useState<string | null>(null)
  const end = useCallback((why?: string) => {
    forgetSecrets()
    setReason(why ?? null)
    setSecrets({ apiKey: null, operatorToken: null })
  }, [])
  const cache = useMemo(
    () =>
      createCache((error) => {
        if (error instanceof Refused && error.status === 401) end(t.signIn.ended)
      }),
    [secrets, end],
  )
  const session: Session = useMemo(() => ({ secrets, client: clientOf(secrets), end }), [secrets, end])
  if (secrets.apiKey === null && secrets.operatorToken === null)
    return <SignIn reason={reason} signedIn={setSecrets} />
  return (
    <SessionContext value={session}>
      <QueryClientProvider client={cache}>
        <Router base="/console">
          <Shell>
            <Switch>
              <Route path="/">
                <Redirect to="/library" replace />
              </Route>
              <Route path="/library" component={Library} />
              <Route path="/library/:mediaId/:part?">
                {({ mediaId, part }) => <Item key={mediaId} mediaId={mediaId} part={part} />}
              </Route>
              <Route component={NotFound} />
            </Switch>
          </Shell>
        </Router>
      </QueryClientProvider>
    </SessionContext>
  )
}
