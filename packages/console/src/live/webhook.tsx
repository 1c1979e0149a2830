import type { Delivery, MedialogError } from '@medialog/client'
import type { UseMutationResult } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { usePage } from '../data/pages.ts'
import { useRead } from '../data/reads.ts'
import { useWrite } from '../data/writes.ts'
import { Figure } from '../parts/figure.tsx'
import { Confirm } from '../parts/confirm.tsx'
import { CopyAs } from '../parts/copy-as.tsx'
import { Pager } from '../parts/pager.tsx'
import { useParameters } from '../parts/parameters.ts'
import { Select } from '../parts/select.tsx'
import { Secret } from '../parts/secret.tsx'
import { Empty, Shown } from '../parts/states.tsx'
import { useTitle } from '../parts/title.ts'
import { dateTime, Id, number, Time } from '../parts/values.tsx'
import { t } from '../texts/texts.ts'
import { Problem } from '../parts/problem.tsx'
import { Back } from '../parts/back.tsx'

const CHANGED = ['readWebhook', 'listWebhooks', 'listDeliveries'] as const
const STATUSES = Object.keys(t.webhooks.deliveryStatuses) as Delivery['status'][]
const POLL_MS = 3000

/** One webhook: how far it is, what arrived there and what did not. */
export function WebhookView({ webhookId }: { webhookId: string }) {
  useTitle(t.live.webhooks)
  const [, navigate] = useLocation()
  const [secret, setSecret] = useState<string | null>(null)
  const id = { webhook_id: webhookId }
  const read = useRead('readWebhook', id, { refetchInterval: POLL_MS })
  const pause = useWrite((client, paused: boolean) => client.changeWebhook({ ...id, paused }), CHANGED)
  const probe = useWrite((client) => client.testWebhook(id), CHANGED)
  const replay = useWrite((client, after: string) => client.replayWebhook({ ...id, after }), CHANGED)
  const rotate = useWrite((client) => client.rotateWebhookSecret(id), CHANGED)
  const remove = useWrite((client) => client.removeWebhook(id), ['listWebhooks'])
  const error = pause.error ?? probe.error ?? replay.error ?? rotate.error
  return (
    <div className="detail">
      <Back to="/live/webhooks">{t.live.webhooks}</Back>
      <Shown read={read}>
        {(webhook) => (
          <>
            <h2 className="detail-title">
              <bdi>{webhook.url}</bdi>
            </h2>
            <Id value={webhookId} />
            <dl className="figures">
              <Figure name={t.webhooks.status} className={`state ${webhook.status}`}>
                {t.webhooks.statuses[webhook.status]}
                {webhook.disabled_reason && ` (${t.webhooks.reasons[webhook.disabled_reason]})`}
              </Figure>
              <Figure name={t.webhooks.lastDelivered}>
                {webhook.last_delivered_at === null ? (
                  t.webhooks.never
                ) : (
                  <Time at={webhook.last_delivered_at} />
                )}
              </Figure>
              <Figure name={t.webhooks.pending}>{number(webhook.pending)}</Figure>
              <Figure name={t.webhooks.dead}>{number(webhook.dead)}</Figure>
            </dl>
            <div className="actions">
              <button
                type="button"
                className="primary button"
                aria-disabled={probe.isPending}
                onClick={() => probe.mutate()}
              >
                {t.webhooks.test}
              </button>
              <button
                type="button"
                className="button"
                aria-disabled={pause.isPending}
                onClick={() => pause.mutate(webhook.status === 'active')}
              >
                {webhook.status === 'active' ? t.webhooks.pause : t.webhooks.resume}
              </button>
              <SendAgain label={t.webhooks.replayAll} after="beginning" replay={replay} />
              <button
                type="button"
                className="button"
                onClick={() =>
                  rotate.mutate(undefined, { onSuccess: (rotated) => setSecret(rotated.secret) })
                }
              >
                {t.webhooks.rotate}
              </button>
              <Confirm
                action={t.webhooks.remove}
                title={t.webhooks.removeTitle}
                text={t.webhooks.removeText}
                isPending={remove.isPending}
                error={remove.error}
                confirm={() => remove.mutate(undefined, { onSuccess: () => navigate('/live/webhooks') })}
              />
              <CopyAs id="listDeliveries" input={id} />
            </div>
            <Problem>{error?.message}</Problem>
            <Deliveries webhookId={webhookId} replay={replay} />
          </>
        )}
      </Shown>
      {secret !== null && <Secret title={t.webhooks.secret} secret={secret} close={() => setSecret(null)} />}
    </div>
  )
}

/** Sends all again behind a position of the log. */
type Replay = Pick<UseMutationResult<unknown, MedialogError, string>, 'mutate' | 'isPending' | 'error'>

/** Asks before events are sent once more: what receives them has had them. */
const SendAgain = ({ label, after, replay }: { label: string; after: string; replay: Replay }) => (
  <Confirm
    action={label}
    className="button"
    title={t.webhooks.replayTitle}
    text={t.webhooks.replayText}
    isPending={replay.isPending}
    error={replay.error}
    confirm={(done) => replay.mutate(after, { onSuccess: done })}
  />
)

interface DeliveriesProps {
  webhookId: string
  replay: Replay
}

function Deliveries({ webhookId, replay }: DeliveriesProps) {
  const [parameters, change] = useParameters()
  const status = STATUSES.find((name) => name === parameters.get('status'))
  const { read, to } = usePage(
    'listDeliveries',
    { webhook_id: webhookId, page_size: 25, ...(status && { status }) },
    { refetchInterval: POLL_MS },
  )
  const resend = useWrite(
    (client, delivery: string) => client.resendDelivery({ webhook_id: webhookId, delivery_id: delivery }),
    CHANGED,
  )
  return (
    <section>
      <div className="toolbar">
        <h2>{t.webhooks.deliveries}</h2>
        <Select
          label={t.webhooks.status}
          options={[
            { value: '', label: t.webhooks.allStatuses },
            ...STATUSES.map((name) => ({ value: name, label: t.webhooks.deliveryStatuses[name] })),
          ]}
          chosen={status ?? ''}
          choose={(name) => change({ status: name, page: null })}
        />
      </div>
      <Problem>{resend.error?.message}</Problem>
      <Shown read={read}>
        {({ deliveries, pagination }) =>
          deliveries.length === 0 ? (
            <Empty title={t.webhooks.noDeliveries} />
          ) : (
            <>
              <ul className="rows">
                {deliveries.map((delivery) => (
                  <li key={delivery.delivery_id}>
                    <details className="delivery">
                      <summary className="row">
                        <span className="what">
                          <span className="filename">
                            {t.life.event(delivery.type.replace('medialog.', ''))}
                          </span>
                          <code className="soft small">{delivery.subject}</code>
                        </span>
                        <span className={`state ${delivery.status}`}>
                          {t.webhooks.deliveryStatuses[delivery.status]}
                        </span>
                        <span className="soft small">
                          <Time at={delivery.changed_at} />
                        </span>
                      </summary>
                      <ul className="plain small attempts">
                        {delivery.attempts.map(({ at, status_code, error, duration_ms }) => (
                          <li key={at}>
                            {dateTime(at)} · {status_code ?? error} · {number(duration_ms)} ms
                          </li>
                        ))}
                        {delivery.next_attempt_at !== null && (
                          <li>{t.webhooks.nextAttempt(dateTime(delivery.next_attempt_at))}</li>
                        )}
                      </ul>
                      <div className="actions">
                        <button
                          type="button"
                          className="button"
                          disabled={delivery.status === 'erased'}
                          onClick={() => resend.mutate(delivery.delivery_id)}
                        >
                          {t.webhooks.resend}
                        </button>
                        <SendAgain label={t.webhooks.replayAfter} after={delivery.position} replay={replay} />
                      </div>
                    </details>
                  </li>
                ))}
              </ul>
              <Pager {...pagination} to={to} />
            </>
          )
        }
      </Shown>
    </section>
  )
}
