import type { SearchResult } from '@medialog/client'
import { Link } from 'wouter'
import { useRead } from '../data/reads.ts'
import { Filters } from '../library/filters.tsx'
import { TypeMark } from '../library/item-list.tsx'
import { CopyAs } from '../parts/copy-as.tsx'
import { useParameters } from '../parts/parameters.ts'
import { useSettled } from '../parts/settled.ts'
import { Empty, Shown } from '../parts/states.tsx'
import { useTitle } from '../parts/title.ts'
import { useTyped } from '../parts/typed.ts'
import { number, SaidAt } from '../parts/values.tsx'
import { t } from '../texts/texts.ts'
import { Connections } from './connections.tsx'
import { Marked } from './marked.tsx'
import { MoreFilters } from './more-filters.tsx'
import { DEFAULT_WEIGHT, inputOf, isFiltered, more, NO_FILTERS, queryOf, type Query } from './query.ts'
import { Score } from './score.tsx'

/** Results while one types. The address has the whole search, so it can be kept and passed on. */
export function Search() {
  useTitle(t.search.title)
  const [parameters, change] = useParameters()
  const query = queryOf(parameters)
  // Going back leads to the view before, not to the last letter.
  const [text, setText] = useTyped(query.text, (q) => change({ q, most: null }, true))
  return (
    <div className="search">
      <h1 className="visually-hidden">{t.search.title}</h1>
      <input
        type="search"
        className="search-field"
        value={text}
        aria-label={t.search.field}
        placeholder={t.search.placeholder}
        onChange={({ target }) => setText(target.value)}
        autoFocus
        autoComplete="off"
        maxLength={2000}
      />
      <div className="toolbar">
        <Filters type={query.type} collection={query.collection} change={change} />
        <Slider
          name={t.search.weight}
          value={query.weight}
          shown={t.search.weightOf(Math.round(query.weight * 100))}
          choose={(value) => change({ words: value === DEFAULT_WEIGHT ? null : String(value) }, true)}
        />
        <Slider
          name={t.search.least}
          value={query.least}
          shown={String(Math.round(query.least * 100))}
          choose={(value) => change({ least: value === 0 ? null : String(value) }, true)}
        />
        {query.text.trim() !== '' && <CopyAs id="search" input={inputOf(query)} />}
      </div>
      <MoreFilters query={query} change={change} />
      {query.text.trim() === '' ? (
        <p className="soft hint">{t.search.hint}</p>
      ) : (
        <Results
          query={query}
          showMore={() => change({ most: String(more(query)) }, true)}
          clear={() => change(NO_FILTERS)}
        />
      )}
    </div>
  )
}

function Slider(props: { name: string; value: number; shown: string; choose: (value: number) => void }) {
  const { name, value, shown, choose } = props
  return (
    <label className="slider">
      <span>
        {name} <span className="soft">{shown}</span>
      </span>
      <input
        type="range"
        min={0}
        max={1}
        step={0.05}
        value={value}
        aria-label={name}
        aria-valuetext={shown}
        onChange={({ target }) => choose(Number(target.value))}
      />
    </label>
  )
}

interface ResultsProps {
  query: Query
  showMore: () => void
  clear: () => void
}

function Results({ query, showMore, clear }: ResultsProps) {
  const input = inputOf(query)
  const read = useRead('search', useSettled(input, 60), { keepsPrevious: true })
  const stats = read.data?.meta.stats
  return (
    <>
      <p className="soft small" role="status">
        {stats && t.search.found(number(stats.total_results), number(stats.time_ms))}
      </p>
      <Shown read={read} lines={6}>
        {({ results, meta }) => (
          <div className={read.isPlaceholderData ? 'stale' : undefined}>
            {results.length === 0 ? (
              <Empty title={t.search.nothing}>
                <p>{t.search.nothingText}</p>
                {isFiltered(query) && (
                  <button type="button" className="button" onClick={clear}>
                    {t.library.clear}
                  </button>
                )}
              </Empty>
            ) : (
              <>
                <Connections key={JSON.stringify(input)} input={input} />
                <ol className="results">
                  {results.map((result) => (
                    <Result key={result.media_id} result={result} />
                  ))}
                </ol>
                {results.length < meta.stats.total_results && more(query) > query.most && (
                  <button type="button" className="button" onClick={showMore}>
                    {t.search.more}
                  </button>
                )}
              </>
            )}
          </div>
        )}
      </Shown>
    </>
  )
}

function Result({
  result: { media_id, media_type, score, score_parts, collection, passage, metadata },
}: {
  result: SearchResult
}) {
  return (
    <li className="result">
      <TypeMark type={media_type} />
      <div className="result-body">
        <p className="result-head">
          <Link href={`/library/${media_id}/text?chunk=${passage.chunk}`} className="filename">
            <bdi>{metadata.file_info.filename}</bdi>
          </Link>
          <span className="soft small">{collection}</span>
        </p>
        <p className="passage" dir="auto">
          {passage.time && <SaidAt time={passage.time} />}{' '}
          <Marked text={passage.text} terms={score_parts.matched_terms} />
        </p>
        <p className="small">
          <Link href={`/similar/${media_id}`}>{t.similar.action}</Link>
        </p>
      </div>
      <Score score={score} parts={score_parts} />
    </li>
  )
}
