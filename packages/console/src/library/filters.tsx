import type { MediaType } from '@medialog/client'
import { Select } from '../parts/select.tsx'
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
  // Until the others are known, the chosen one is.
  const collections: readonly { name: string; count?: number }[] =
    facets?.collections ?? (collection === null ? [] : [{ name: collection }])
  const counted = (label: string, count: number | undefined): string =>
    count === undefined ? label : `${label} (${number(count)})`
  return (
    <>
      <Select
        className="filter"
        label={t.library.type}
        options={[
          { value: '', label: t.library.allTypes },
          ...TYPES.map((name) => ({
            value: name,
            label: counted(t.types[name], facets?.types.find((facet) => facet.name === name)?.count),
          })),
        ]}
        chosen={type ?? ''}
        choose={(name) => change({ type: name })}
      />
      <Select
        className="filter"
        label={t.library.collection}
        options={[
          { value: '', label: t.library.allCollections },
          ...collections.map(({ name, count }) => ({ value: name, label: counted(name, count) })),
        ]}
        chosen={collection ?? ''}
        choose={(name) => change({ collection: name })}
      />
    </>
  )
}
