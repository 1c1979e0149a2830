import type { MediaType } from '@medialog/client'
import { useRead } from '../data/reads.ts'
import { TYPES } from '../parts/types.ts'
import { number } from '../parts/values.tsx'
import { t } from '../texts/texts.ts'

interface Props<T> {
  chosen: T | null
  choose: (value: string | null) => void
}

export const TypeFilter = ({ chosen, choose }: Props<MediaType>) => (
  <select
    className="select"
    aria-label={t.library.type}
    value={chosen ?? ''}
    onChange={({ target }) => choose(target.value || null)}
  >
    <option value="">{t.library.allTypes}</option>
    {TYPES.map((name) => (
      <option key={name} value={name}>
        {t.types[name]}
      </option>
    ))}
  </select>
)

export function CollectionFilter({ chosen, choose }: Props<string>) {
  const { data } = useRead('listCollections', {})
  const names = new Set(data?.collections)
  if (chosen) names.add(chosen)
  return (
    <select
      className="select"
      aria-label={t.library.collection}
      value={chosen ?? ''}
      onChange={({ target }) => choose(target.value || null)}
    >
      <option value="">{t.library.allCollections}</option>
      {[...names].map((name) => {
        const count = data?.collection_details[name]?.item_count
        return (
          <option key={name} value={name}>
            {count === undefined ? name : `${name} (${number(count)})`}
          </option>
        )
      })}
    </select>
  )
}
