import { useState } from 'react'
import { useSearchParams } from 'wouter'
import { CopyAs } from '../parts/copy-as.tsx'
import { Icon } from '../parts/icons.tsx'
import { Empty, Shown } from '../parts/states.tsx'
import { TYPES } from '../parts/types.ts'
import { useTitle } from '../parts/title.ts'
import { number } from '../parts/values.tsx'
import { t } from '../texts/texts.ts'
import { useItems, type Filter } from '../data/items.ts'
import { CollectionFilter, TypeFilter } from './filters.tsx'
import { Collections } from './collections.tsx'
import { ItemList } from './item-list.tsx'
import { LibraryTabs } from './library-tabs.tsx'
import { createSelection, SelectionContext } from './selection.ts'
import { SelectionBar } from './selection-bar.tsx'
import { UploadButtons } from './upload-buttons.tsx'

type View = 'list' | 'grid'

/** All items of the account, by filters that the address names. */
export function Library() {
  const [parameters, setParameters] = useSearchParams()
  const view: View = parameters.get('view') === 'grid' ? 'grid' : 'list'
  const type = TYPES.find((name) => name === parameters.get('type'))
  const collection = parameters.get('collection')
  const filter: Filter = { ...(type && { media_type: type }), ...(collection && { collection }) }
  const set = (name: string, value: string | null): void =>
    setParameters((old) => {
      const next = new URLSearchParams(old)
      if (value) next.set(name, value)
      else next.delete(name)
      return next
    })
  const { start, total } = useItems(filter, 0, 0)
  const isFiltered = type !== undefined || collection !== null
  useTitle(t.library.title)
  const [selection] = useState(createSelection)
  return (
    <SelectionContext value={selection}>
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
        <TypeFilter chosen={type ?? null} choose={(name) => set('type', name)} />
        <CollectionFilter chosen={collection} choose={(name) => set('collection', name)} />
        <CopyAs id="listMedia" input={filter} />
        <fieldset className="segments">
          <legend className="visually-hidden">{t.library.view}</legend>
          {(['list', 'grid'] as const).map((name) => (
            <label key={name} title={t.library[name]}>
              <input
                type="radio"
                name="view"
                checked={view === name}
                onChange={() => set('view', name === 'list' ? null : name)}
              />
              <Icon name={name} />
              <span className="visually-hidden">{t.library[name]}</span>
            </label>
          ))}
        </fieldset>
      </div>
      <div className="library-body">
        <Collections />
        <div>
          <Shown read={start} lines={8}>
            {() =>
              total > 0 ? (
                <ItemList key={JSON.stringify([filter, view])} filter={filter} isGrid={view === 'grid'} />
              ) : isFiltered ? (
                <Empty title={t.library.emptyFiltered}>
                  <button type="button" className="button" onClick={() => setParameters({})}>
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
      <SelectionBar />
    </SelectionContext>
  )
}
