import { Suspense } from 'react'
import { CopyAs } from '../parts/copy-as.tsx'
import { Icon } from '../parts/icons.tsx'
import { lazyPart } from '../parts/lazy-part.ts'
import { useParameters } from '../parts/parameters.ts'
import { Segments } from '../parts/segments.tsx'
import { Empty, Shown } from '../parts/states.tsx'
import { TYPES } from '../parts/types.ts'
import { useTitle } from '../parts/title.ts'
import { number } from '../parts/values.tsx'
import { t } from '../texts/texts.ts'
import { useItems, type Filter } from '../data/items.ts'
import { Filters } from './filters.tsx'
import { ItemList } from './item-list.tsx'
import { LibraryTabs } from './library-tabs.tsx'
import { Rail } from './rail.tsx'
import { useSelection } from './selection.ts'
import { UploadButtons } from './upload-buttons.tsx'

const SelectionBar = lazyPart(async () => (await import('./selection-bar.tsx')).SelectionBar)

type View = 'list' | 'grid'

/** All items of the account, by filters that the address names. */
export function Library() {
  const [parameters, change] = useParameters()
  const view: View = parameters.get('view') === 'grid' ? 'grid' : 'list'
  const type = TYPES.find((name) => name === parameters.get('type')) ?? null
  const collection = parameters.get('collection')
  const filter: Filter = { ...(type && { media_type: type }), ...(collection && { collection }) }
  const { start, total } = useItems(filter, 0, 0)
  const isFiltered = type !== null || collection !== null
  useTitle(t.library.title)
  const { chosen } = useSelection()
  return (
    <>
      <header className="view-head">
        <h1>{t.library.title}</h1>
        <p className="soft" role="status">
          {start.data && t.library.count(number(total), total)}
        </p>
        <div className="actions">
          <UploadButtons collection={collection} />
        </div>
      </header>
      <LibraryTabs />
      <div className="toolbar">
        <Filters type={type} collection={collection} change={change} />
        <CopyAs id="listMedia" input={filter} />
        <Segments
          legend={t.library.view}
          options={(['list', 'grid'] as const).map((value) => ({
            value,
            title: t.library[value],
            label: (
              <>
                <Icon name={value} />
                <span className="visually-hidden">{t.library[value]}</span>
              </>
            ),
          }))}
          chosen={view}
          choose={(value) => change({ view: value === 'list' ? null : value })}
        />
      </div>
      {chosen.size > 0 && (
        <Suspense>
          <SelectionBar />
        </Suspense>
      )}
      <div className="library-body">
        <Rail type={type} collection={collection} />
        <div id="items" tabIndex={-1}>
          <Shown read={start} lines={8}>
            {() =>
              total > 0 ? (
                <ItemList key={JSON.stringify([filter, view])} filter={filter} isGrid={view === 'grid'} />
              ) : isFiltered ? (
                <Empty title={t.library.emptyFiltered}>
                  <button
                    type="button"
                    className="button"
                    onClick={() => change({ type: null, collection: null })}
                  >
                    {t.library.clear}
                  </button>
                </Empty>
              ) : (
                <Empty title={t.library.empty}>
                  <p>{t.library.emptyText}</p>
                </Empty>
              )
            }
          </Shown>
        </div>
      </div>
    </>
  )
}
