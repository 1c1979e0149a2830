import { lazy, Suspense } from 'react'
import { Link, Route, Switch } from 'wouter'
import { NotFound } from '../parts/not-found.tsx'
import { Loading } from '../parts/states.tsx'
import { t } from '../texts/texts.ts'
import { Ledger } from './ledger.tsx'
import { Replay } from './replay.tsx'
import { StatementView } from './statement.tsx'

const Overview = lazy(() => import('./overview.tsx'))

const TABS = ['', 'ledger', 'statement', 'replay'] as const

/** What was paid, for what, and the proof of it. */
export function Billing({ part = '' }: { part?: string | undefined }) {
  return (
    <>
      <header className="view-head">
        <h1>{t.billing.title}</h1>
      </header>
      <nav className="tabs" aria-label={t.billing.title}>
        {TABS.map((tab) => (
          <Link
            key={tab}
            href={tab ? `/billing/${tab}` : '/billing'}
            aria-current={tab === part ? 'page' : undefined}
          >
            {t.billing.tabs[tab || 'overview']}
          </Link>
        ))}
      </nav>
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
