import { Route, Switch } from 'wouter'
import { NotFound } from '../parts/not-found.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { t } from '../texts/texts.ts'
import { Events } from './events.tsx'
import { Keys } from './keys.tsx'
import { WebhookView } from './webhook.tsx'
import { Webhooks } from './webhooks.tsx'

/** Events of the account as they happen, and the webhooks that receive them. */
export function Live({ part = '' }: { part?: string | undefined }) {
  return (
    <>
      <header className="view-head">
        <h1>{t.live.title}</h1>
      </header>
      <Tabs
        label={t.live.title}
        here={part ? `/live/${part}` : '/live'}
        tabs={[
          ['/live', t.live.events],
          ['/live/webhooks', t.live.webhooks],
          ['/live/keys', t.live.keys],
        ]}
      />
      <Switch>
        <Route path="/live" component={Events} />
        <Route path="/live/webhooks" component={Webhooks} />
        <Route path="/live/webhooks/:webhookId">
          {({ webhookId }) => <WebhookView key={webhookId} webhookId={webhookId} />}
        </Route>
        <Route path="/live/keys" component={Keys} />
        <Route component={NotFound} />
      </Switch>
    </>
  )
}
