import { useState, type DragEvent } from 'react'
import { Link, useSearchParams } from 'wouter'
import { useRead } from '../data/reads.ts'
import { useItemWrite } from '../data/writes.ts'
import { number } from '../parts/values.tsx'
import { t } from '../texts/texts.ts'
import { dragged, isDragged, useSelection } from './selection.ts'

/** The account's collections beside its items. Items that are dropped on one are moved there. */
export function Collections() {
  const { data } = useRead('listCollections', {})
  const [parameters] = useSearchParams()
  const { clear } = useSelection()
  const move = useItemWrite((client, { name, ids }: { name: string; ids: string[] }) =>
    client.moveItems({ collection_id: name, items: ids }),
  )
  if (!data) return null
  const hrefOf = (name: string | null): string => {
    const next = new URLSearchParams(parameters)
    if (name === null) next.delete('collection')
    else next.set('collection', name)
    return `/library${next.size > 0 ? `?${next}` : ''}`
  }
  const chosen = parameters.get('collection')
  return (
    <nav className="collections" aria-label={t.library.collections}>
      <ul>
        <li>
          <Link href={hrefOf(null)} aria-current={chosen === null ? 'true' : undefined}>
            {t.library.allCollections}
          </Link>
        </li>
        {data.collections.map((name) => (
          <Collection
            key={name}
            name={name}
            href={hrefOf(name)}
            count={data.collection_details[name]?.item_count ?? 0}
            isHere={chosen === name}
            take={(ids) => move.mutate({ name, ids }, { onSuccess: clear })}
          />
        ))}
      </ul>
      <p className="problem small" role="alert">
        {move.error?.message}
      </p>
      <p className="visually-hidden" role="status">
        {move.data && t.move.moved(number(move.data.summary.moved), move.data.collection_id)}
      </p>
    </nav>
  )
}

interface Props {
  name: string
  href: string
  count: number
  isHere: boolean
  take: (ids: string[]) => void
}

function Collection({ name, href, count, isHere, take }: Props) {
  const [isOver, setOver] = useState(false)
  const over = (event: DragEvent): void => {
    if (!isDragged(event.dataTransfer)) return
    event.preventDefault()
    setOver(true)
  }
  return (
    <li
      className={isOver ? 'over' : undefined}
      onDragEnter={over}
      onDragOver={over}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        setOver(false)
        if (!isDragged(event.dataTransfer)) return
        event.preventDefault()
        take(dragged(event.dataTransfer))
      }}
    >
      <Link href={href} aria-current={isHere ? 'true' : undefined}>
        <bdi>{name}</bdi> <span className="soft small">{number(count)}</span>
      </Link>
    </li>
  )
}
