import { useTyped } from '../parts/typed.ts'
import { t } from '../texts/texts.ts'
import { NAMES, type Query } from './query.ts'

interface Props {
  query: Query
  change: (parameters: Record<string, string | null>, replace?: boolean) => void
}

/** By when an item was stored, and by what is said in it. */
export function MoreFilters({ query, change }: Props) {
  const terms = ['topics', ...NAMES] as const
  const set = [query.from, query.until, ...terms.map((name) => query[name])].filter((value) => value !== '')
  return (
    <details className="more-filters">
      <summary>{t.search.filters(set.length)}</summary>
      <div className="filter-fields">
        {(['from', 'until'] as const).map((name) => (
          <label key={name} className="field">
            <span>{t.search.by[name]}</span>
            <input
              type="date"
              value={query[name]}
              min={name === 'until' && query.from !== '' ? query.from : undefined}
              onChange={({ target }) => change({ [name]: target.value })}
            />
          </label>
        ))}
        {terms.map((name) => (
          <Terms
            key={name}
            label={t.search.by[name]}
            value={query[name]}
            settle={(value) => change({ [name]: value }, true)}
          />
        ))}
      </div>
    </details>
  )
}

function Terms({ label, value, settle }: { label: string; value: string; settle: (value: string) => void }) {
  const [text, setText] = useTyped(value, settle)
  return (
    <label className="field">
      <span>{label}</span>
      <input
        value={text}
        placeholder={t.search.anyOf}
        autoComplete="off"
        onChange={({ target }) => setText(target.value)}
      />
    </label>
  )
}
