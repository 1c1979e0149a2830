import { useRead } from '../data/reads.ts'
import { CopyAs } from '../parts/copy-as.tsx'
import { Scrolling } from '../parts/scrolling.tsx'
import { Shown } from '../parts/states.tsx'
import { TableHead } from '../parts/table-head.tsx'
import { useTitle } from '../parts/title.ts'
import { number } from '../parts/values.tsx'
import { t } from '../texts/texts.ts'
import { Operations, Start } from './operations.tsx'

/** Which model embeds, which ones made what is stored, and how what is stored changes over. */
export function EmbeddingsView() {
  useTitle(t.operator.embeddings)
  const read = useRead('readEmbeddings', {}, { refetchInterval: 5000 })
  return (
    <div className="section">
      <Shown read={read}>
        {({ embedder, pending_items, models }) => (
          <>
            <p>
              {t.embeddings.now} <strong>{embedder.model}</strong>{' '}
              <span className="soft">{t.embeddings.dimensions(number(embedder.dimensions))}</span>
            </p>
            <Scrolling label={t.operator.embeddings}>
              <table className="plain-table">
                <TableHead
                  caption={t.operator.embeddings}
                  columns={[
                    t.embeddings.model,
                    { number: t.embeddings.items },
                    { number: t.embeddings.vectors },
                    t.embeddings.foundBy,
                  ]}
                />
                <tbody>
                  {models.map(({ model, items, vectors, found_by }) => (
                    <tr key={model}>
                      <th scope="row">{model}</th>
                      <td className="number">{number(items)}</td>
                      <td className="number">{number(vectors)}</td>
                      <td>{t.embeddings.found[found_by]}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </Scrolling>
            <p>{pending_items === 0 ? t.embeddings.done : t.embeddings.pending(number(pending_items))}</p>
          </>
        )}
      </Shown>
      <span className="actions">
        <Start input={{ kind: 'embeddings-migrate' }} label={t.embeddings.migrate} />
        <CopyAs id="readEmbeddings" input={{}} />
      </span>
      <Operations kinds={['embeddings-migrate']} />
    </div>
  )
}
