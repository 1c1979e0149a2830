import type { MediaType } from '@medialog/client'
import { useState, type DragEvent, type ReactNode } from 'react'
import { Link, useSearchParams } from 'wouter'
import { useItemWrite } from '../data/writes.ts'
import { announce } from '../parts/announcement.tsx'
import { Icon } from '../parts/icons.tsx'
import { number } from '../parts/values.tsx'
import { t } from '../texts/texts.ts'
import { useFacets } from './facets.ts'
import { dragged, isDragged, useSelection } from './selection.ts'

/** What there is of each type and in each collection, beside the items. Items that are dropped on a collection are moved there. */
export function Rail({ type, collection }: { type: MediaType | null; collection: string | null }) {
  const facets = useFacets(type, collection)
  const { clear } = useSelection()
  const move = useItemWrite((client, { name, ids }: { name: string; ids: string[] }) =>
    client.moveItems({ collection_id: name, items: ids }),
  )
  function drop(dropped: { name: string; ids: string[] }): void {
    move.mutate(dropped, {
      onSuccess({ summary, collection_id }) {
        clear()
        announce(t.move.moved(number(summary.moved), collection_id))
      },
    })
  }
  if (!facets) return null
  return (
    <div className="rail">
      <a className="skip" href="#items">
        {t.library.skipCollections}
      </a>
      <nav aria-label={t.library.types}>
        <ul>
          <Choice parameter="type" name={null} isHere={type === null}>
            {t.library.allTypes}
          </Choice>
          {facets.types
            .filter(({ name, count }) => count > 0 || name === type)
            .map(({ name, count }) => (
              <Choice key={name} parameter="type" name={name} count={count} isHere={type === name}>
                <span className={`icon-of ${name}`}>
                  <Icon name={name} />
                </span>
                {t.types[name]}
              </Choice>
            ))}
        </ul>
      </nav>
      <nav aria-label={t.library.collections}>
        <ul>
          <Choice parameter="collection" name={null} isHere={collection === null}>
            {t.library.allCollections}
          </Choice>
          {facets.collections.map(({ name, count }) => (
            <Choice
              key={name}
              parameter="collection"
              name={name}
              count={count}
              isHere={collection === name}
              take={(ids) => drop({ name, ids })}
            >
              <bdi>{name}</bdi>
            </Choice>
          ))}
        </ul>
        <p className="problem small" role="alert">
          {move.error?.message}
        </p>
      </nav>
    </div>
  )
}

interface ChoiceProps {
  parameter: 'type' | 'collection'
  /** Null: any. */
  name: string | null
  count?: number
  isHere: boolean
  /** Called with the items that are dropped on it. */
  take?: (ids: string[]) => void
  children: ReactNode
}

function Choice({ parameter, name, count, isHere, take, children }: ChoiceProps) {
  const [parameters] = useSearchParams()
  const [isOver, setOver] = useState(false)
  const next = new URLSearchParams(parameters)
  if (name === null) next.delete(parameter)
  else next.set(parameter, name)
  const over = (event: DragEvent): void => {
    if (!take || !isDragged(event.dataTransfer)) return
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
        if (!take || !isDragged(event.dataTransfer)) return
        event.preventDefault()
        take(dragged(event.dataTransfer))
      }}
    >
      <Link href={`/library${next.size > 0 ? `?${next}` : ''}`} aria-current={isHere ? 'true' : undefined}>
        <span className="facet">{children}</span>
        {count !== undefined && <span className="soft small">{number(count)}</span>}
      </Link>
    </li>
  )
}
