import type { StartOperationRequest } from '@medialog/client'
import { CopyAs } from '../parts/copy-as.tsx'
import { Scrolling } from '../parts/scrolling.tsx'
import { Shown } from '../parts/states.tsx'
import { TableHead } from '../parts/table-head.tsx'
import { useTitle } from '../parts/title.ts'
import { number } from '../parts/values.tsx'
import { t } from '../texts/texts.ts'
import type { Sample } from './metrics.ts'
import { Operations, Start } from './operations.tsx'
import { useMetrics } from './reads.ts'

type Name = Extract<StartOperationRequest, { kind: 'projections-rebuild' }>['name']

/** Every read model: how far behind the log it is, and whether it is what the log says. */
export function ReadModels() {
  useTitle(t.operator.readModels)
  const metrics = useMetrics()
  return (
    <div className="section">
      <p className="soft">{t.readModels.lead}</p>
      <Shown read={metrics}>
        {(samples) => (
          <Scrolling label={t.operator.readModels}>
            <table className="plain-table">
              <TableHead
                caption={t.operator.readModels}
                columns={[
                  t.readModels.name,
                  { number: t.readModels.position },
                  { number: t.readModels.behind },
                  t.readModels.state,
                  t.readModels.actions,
                ]}
              />
              <tbody>
                {samples
                  .filter(({ name }) => name === 'medialog_projection_behind_events')
                  .map(({ labels: { read_model: name } }) => (
                    <Row key={name} name={name as Name} samples={samples} />
                  ))}
              </tbody>
            </table>
          </Scrolling>
        )}
      </Shown>
      <span className="actions">
        <Start input={{ kind: 'projections-verify' }} label={t.readModels.verifyAll} />
        <CopyAs id="startOperation" input={{ kind: 'projections-verify' }} />
      </span>
      <Operations kinds={['projections-verify', 'projections-rebuild']} />
    </div>
  )
}

function Row({ name, samples }: { name: Name; samples: readonly Sample[] }) {
  const measured = (what: string): number =>
    samples.find(
      (sample) => sample.name === `medialog_projection_${what}` && sample.labels['read_model'] === name,
    )?.value ?? 0
  const isFailing = measured('failing') === 1
  const shown = t.readModels.names[name]
  return (
    <tr>
      <th scope="row">{shown}</th>
      <td className="number">{number(measured('position'))}</td>
      <td className="number">{number(measured('behind_events'))}</td>
      <td className={isFailing ? 'bad' : 'good'}>{isFailing ? t.readModels.failing : t.readModels.fine}</td>
      <td>
        <span className="actions">
          <Start
            input={{ kind: 'projections-verify', name }}
            label={t.readModels.verify}
            name={`${t.readModels.verify} ${shown.toLowerCase()}`}
          />
          <Start
            input={{ kind: 'projections-rebuild', name }}
            label={t.readModels.rebuild}
            name={`${t.readModels.rebuild} ${shown.toLowerCase()}`}
            question={{
              title: t.readModels.rebuildTitle(shown.toLowerCase()),
              text: t.readModels.rebuildText,
            }}
          />
        </span>
      </td>
    </tr>
  )
}
