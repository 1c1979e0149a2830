import { Suspense } from 'react'
import { Route, Switch } from 'wouter'
import { lazyPart } from '../parts/lazy-part.ts'
import { NotFound } from '../parts/not-found.tsx'
import { Empty, Loading } from '../parts/states.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { useSession } from '../session/session.ts'
import { t } from '../texts/texts.ts'
import { AccountView } from './account.tsx'
import { Accounts } from './accounts.tsx'
import { EmbeddingsView } from './embeddings.tsx'
import { Health } from './health.tsx'
import { LogView } from './log.tsx'
import { ReadModels } from './read-models.tsx'

const MetricsView = lazyPart(async () => (await import('./metrics-view.tsx')).MetricsView)

/** The operator's side of the service. */
export function Operator({ part = '' }: { part?: string | undefined }) {
  const { secrets } = useSession()
  if (secrets.operatorToken === null)
    return (
      <Empty title={t.operator.needsToken}>
        <p>{t.operator.needsTokenText}</p>
      </Empty>
    )
  return (
    <>
      <header className="view-head">
        <h1>{t.operator.title}</h1>
      </header>
      <Tabs
        label={t.operator.title}
        here={part ? `/operator/${part}` : '/operator'}
        tabs={[
          ['/operator', t.operator.health],
          ['/operator/accounts', t.operator.accounts],
          ['/operator/read-models', t.operator.readModels],
          ['/operator/log', t.operator.log],
          ['/operator/embeddings', t.operator.embeddings],
          ['/operator/metrics', t.operator.metrics],
        ]}
      />
      <Suspense fallback={<Loading />}>
        <Switch>
          <Route path="/operator" component={Health} />
          <Route path="/operator/accounts" component={Accounts} />
          <Route path="/operator/accounts/:accountId">
            {({ accountId }) => <AccountView key={accountId} accountId={accountId} />}
          </Route>
          <Route path="/operator/read-models" component={ReadModels} />
          <Route path="/operator/log" component={LogView} />
          <Route path="/operator/embeddings" component={EmbeddingsView} />
          <Route path="/operator/metrics" component={MetricsView} />
          <Route component={NotFound} />
        </Switch>
      </Suspense>
    </>
  )
}
