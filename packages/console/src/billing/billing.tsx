import { Suspense } from 'react'
import { Route, Switch } from 'wouter'
import { lazyPart } from '../parts/lazy-part.ts'
import { NotFound } from '../parts/not-found.tsx'
import { Loading } from '../parts/states.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { t } from '../texts/texts.ts'
import { Ledger } from './ledger.tsx'
import { Replay } from './replay.tsx'
import { StatementView } from './statement.tsx'

const Overview = lazyPart(async () => (await import('./overview.tsx')).Overview)

/** What was paid, for what, and the proof of it. */
export function Billing({ part = '' }: { part?: string | undefined }) {
  return (
    <>
      <header className="view-head">
        <h1>{t.billing.title}</h1>
      </header>
      <Tabs
        label={t.billing.title}
        here={part ? `/billing/${part}` : '/billing'}
        tabs={[
          ['/billing', t.billing.tabs.overview],
          ['/billing/ledger', t.billing.tabs.ledger],
          ['/billing/statement', t.billing.tabs.statement],
          ['/billing/replay', t.billing.tabs.replay],
        ]}
      />
      <Suspense fallback={<Loading />}>
        <Switch>
          <Route path="/billing" component={Overview} />
          <Route path="/billing/ledger" component={Ledger} />
          <Route path="/billing/statement" component={StatementView} />
          <Route path="/billing/replay" component={Replay} />
          <Route component={NotFound} />
        </Switch>
      </Suspense>
    </>
  )
}
