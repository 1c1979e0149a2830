import type { MediaType } from '@medialog/client'
import { TYPES } from '../parts/types.ts'
import { number } from '../parts/values.tsx'
import { t } from '../texts/texts.ts'
import { useFacets } from './facets.ts'

interface Props {
  type: MediaType | null
  collection: string | null
  change: (parameters: { type?: string | null; collection?: string | null }) => void
}

/** Which items: of a type, in a collection. Each choice says how many there are. */
export function Filters({ type, collection, change }: Props) {
  const facets = useFacets(type, collection)
  const counted = (label: string, count: number | undefined): string =>
    count === undefined ? label : `${label} (${number(count)})`
  return (
    <>
      <select
        className="select filter"
        aria-label={t.library.type}
        value={type ?? ''}
        onChange={({ target }) => change({ type: target.value || null })}
      >
        <option value="">{t.library.allTypes}</option>
        {TYPES.map((name) => (
          <option key={name} value={name}>
            {counted(t.types[name], facets?.types.find((facet) => facet.name === name)?.count)}
          </option>
        ))}
      </select>
      <select
        className="select filter"
        aria-label={t.library.collection}
        value={collection ?? ''}
        onChange={({ target }) => change({ collection: target.value || null })}
      >
        <option value="">{t.library.allCollections}</option>
        {facets ? (
          facets.collections.map(({ name, count }) => (
            <option key={name} value={name}>
              {counted(name, count)}
            </option>
          ))
        ) : (
          <option hidden={collection === null}>{collection}</option>
        )}
      </select>
    </>
  )
}
