import { useRead } from '../data/reads.ts'
import { CopyAs } from '../parts/copy-as.tsx'
import { Shown } from '../parts/states.tsx'
import { useTitle } from '../parts/title.ts'
import { bytes, number } from '../parts/values.tsx'
import { Caption } from '../parts/caption.tsx'
import { t } from '../texts/texts.ts'
import { valueOf } from './metrics.ts'
import { useMetrics } from './reads.ts'

/** Whether the service works, by component, and what waits in it. */
export function Health() {
  useTitle(t.operator.health)
  const ready = useRead('readyz', {}, { refetchInterval: 3000 })
  const metrics = useMetrics()
  const samples = metrics.data ?? []
  const free = valueOf(samples, 'medialog_disk_free_bytes')
  const rows: [name: string, value: string | null][] = [
    [t.health.erasures, counted(valueOf(samples, 'medialog_erasures_pending'))],
    [t.health.ingests, counted(valueOf(samples, 'medialog_ingest_running'))],
    [t.health.retrying, counted(valueOf(samples, 'medialog_ingest_retrying'))],
    [t.health.followers, counted(valueOf(samples, 'medialog_feed_followers'))],
    [t.health.webhooks, counted(valueOf(samples, 'medialog_webhook_pending'))],
    [t.health.disk, free === null ? null : bytes(free)],
  ]
  return (
    <div className="section">
      <Shown read={ready}>
        {({ status, components }) => (
          <>
            <p className={`big-number ${status === 'operational' ? 'good' : 'bad'}`}>
              {t.health.statuses[status]}
            </p>
            <table className="plain-table">
              <Caption>{t.operator.health}</Caption>
              <tbody>
                {Object.entries(components).map(([name, state]) => (
                  <tr key={name}>
                    <th scope="row">{t.health.component(name)}</th>
                    <td className={`number ${state === 'operational' ? 'good' : 'bad'}`}>
                      {t.health.state(state)}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </>
        )}
      </Shown>
      <Shown read={metrics}>
        {() => (
          <>
            <h2>{t.health.process}</h2>
            <table className="plain-table">
              <Caption>{t.health.waiting}</Caption>
              <tbody>
                {samples
                  .filter(({ name }) => name === 'medialog_ready')
                  .map(({ labels: { role = '' }, value }) => (
                    <tr key={role}>
                      <th scope="row">{t.health.role(role)}</th>
                      <td className={`number ${value === 1 ? 'good' : 'bad'}`}>
                        {value === 1 ? t.health.ready : t.health.notReady}
                      </td>
                    </tr>
                  ))}
                {rows.map(
                  ([name, value]) =>
                    value !== null && (
                      <tr key={name}>
                        <th scope="row">{name}</th>
                        <td className="number">{value}</td>
                      </tr>
                    ),
                )}
              </tbody>
            </table>
          </>
        )}
      </Shown>
      <CopyAs id="readyz" input={{}} />
      <h2>{t.health.backups}</h2>
      <p>{t.health.backupsText}</p>
      <pre className="code" tabIndex={0} aria-label={t.health.backups}>
        {t.health.backupsCommand}
      </pre>
    </div>
  )
}

const counted = (value: number | null): string | null => (value === null ? null : number(value))
