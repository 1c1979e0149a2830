import { defaultRangeExtractor, useWindowVirtualizer } from '@tanstack/react-virtual'
import { useLayoutEffect, useRef, useState, type ReactNode } from 'react'
import { Link } from 'wouter'
import { useItems, type Filter, type ItemRow } from '../data/items.ts'
import { useRead } from '../data/reads.ts'
import { Icon } from '../parts/icons.tsx'
import { useSettled } from '../parts/settled.ts'
import { bytes, clock, Time } from '../parts/values.tsx'
import { t } from '../texts/texts.ts'
import { dimensionsOf } from './item-facts.tsx'
import { drag, useSelection } from './selection.ts'

const LINE_HEIGHT = 60
const CARD = { width: 220, height: 208 }
/** A page is read once the list rests: dragging the scroll bar to the end passes a thousand pages. */
const SETTLED_MS = 80

/** All items of a filter. Only the rows in view are in the page, however many there are. */
export function ItemList({ filter, isGrid }: { filter: Filter; isGrid: boolean }) {
  const list = useRef<HTMLUListElement>(null)
  const { columns, top } = useLayout(list, isGrid)
  const [range, setRange] = useState({ first: 0, last: 0 })
  const { first, last } = useSettled(range, SETTLED_MS)
  const { total, row } = useItems(filter, first, last)
  /** The one that holds the focus stays in the page however far one scrolls. */
  const [focused, setFocused] = useState<number | null>(null)
  const lines = useWindowVirtualizer({
    count: Math.ceil(total / columns),
    estimateSize: () => (isGrid ? CARD.height : LINE_HEIGHT),
    overscan: 6,
    rangeExtractor: (visible) =>
      focused === null || focused >= visible.count
        ? defaultRangeExtractor(visible)
        : [...new Set([...defaultRangeExtractor(visible), focused])].toSorted((a, b) => a - b),
    scrollMargin: top,
    onChange({ range: seen }) {
      if (seen)
        setRange({ first: seen.startIndex * columns, last: Math.min(total, (seen.endIndex + 1) * columns) })
    },
  })
  const shown = lines.getVirtualItems().flatMap(({ index, start }) =>
    Array.from({ length: Math.min(columns, total - index * columns) }, (_, column) => ({
      index: index * columns + column,
      column,
      y: start - top,
    })),
  )
  return (
    <ul
      ref={list}
      className={isGrid ? 'items grid' : 'items'}
      onFocus={({ target }) => setFocused(Math.floor((placeOf(target) - 1) / columns))}
      onBlur={() => setFocused(null)}
      style={{ height: lines.getTotalSize(), '--columns': columns } as React.CSSProperties}
    >
      {shown.map(({ index, column, y }) => (
        <li
          key={index}
          aria-setsize={total}
          aria-posinset={index + 1}
          style={{ transform: `translateY(${y}px)`, '--column': column } as React.CSSProperties}
        >
          {isGrid ? <Card item={row(index)} isStill={!lines.isScrolling} /> : <Line item={row(index)} />}
        </li>
      ))}
    </ul>
  )
}

/** Of an item in the list: from 1. */
const placeOf = (target: Element): number => Number(target.closest('li')!.getAttribute('aria-posinset'))

/** How many items stand side by side, and how far below the page's top the first one is. */
function useLayout(list: React.RefObject<HTMLUListElement | null>, isGrid: boolean) {
  const [layout, setLayout] = useState({ columns: 1, top: 0 })
  useLayoutEffect(() => {
    const element = list.current!
    const measure = (): void => {
      const { width, top } = element.getBoundingClientRect()
      const columns = isGrid ? Math.max(1, Math.floor(width / CARD.width)) : 1
      setLayout({ columns, top: top + scrollY })
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [list, isGrid])
  return layout
}

/** A row or a card, with a box to choose it by; it can be dragged to a collection with all that are chosen. */
function Choosable({ item, children }: { item: ItemRow; children: ReactNode }) {
  const { chosen, toggle } = useSelection()
  const isChosen = chosen.has(item.id)
  return (
    <div
      className={isChosen ? 'choosable chosen-item' : 'choosable'}
      draggable
      onDragStart={({ dataTransfer }) => drag(dataTransfer, isChosen ? [...chosen.keys()] : [item.id])}
    >
      <input
        type="checkbox"
        checked={isChosen}
        onChange={() => toggle(item.id, item.filename)}
        aria-label={t.selection.choose(item.filename)}
        aria-keyshortcuts={chosen.size > 0 ? 'Alt+A' : undefined}
      />
      {children}
    </div>
  )
}

function Line({ item }: { item: ItemRow | null }) {
  if (!item) return <span className="line bone" />
  return (
    <Choosable item={item}>
      <Link href={`/library/${item.id}`} className="line" draggable={false}>
        <TypeMark type={item.type} />
        <span className="what">
          <bdi className="filename">{item.filename}</bdi>
          <span className="soft small summary">{item.summary}</span>
        </span>
        <span className="soft collection">{item.collection}</span>
        <span className="soft size">{bytes(item.sizeBytes)}</span>
        <span className="soft when">
          <Time at={item.createdAt} />
        </span>
      </Link>
    </Choosable>
  )
}

function Card({ item, isStill }: { item: ItemRow | null; isStill: boolean }) {
  if (!item) return <span className="card bone" />
  return (
    <Choosable item={item}>
      <Link href={`/library/${item.id}`} className="card" draggable={false}>
        <span className={`cover ${item.type}`}>
          {item.hasPreview ? <Preview item={item} isStill={isStill} /> : <Cover item={item} />}
        </span>
        <bdi className="filename">{item.filename}</bdi>
        <span className="soft small measures">
          {bytes(item.sizeBytes)}
          {item.type !== 'document' && <Measures item={item} isStill={isStill} />}
        </span>
      </Link>
    </Choosable>
  )
}

/** What lists do not say of an item: read once a card stays in view. */
const useDetails = ({ id, hasPreview }: ItemRow, isStill: boolean) =>
  useRead(
    'readMedia',
    { media_id: id, include_metadata: false, ...(hasPreview && { include_chunks: true }) },
    { enabled: isStill },
  ).data

/** The small picture that is kept of an image. */
function Preview({ item, isStill }: { item: ItemRow; isStill: boolean }) {
  const picture = useDetails(item, isStill)?.content?.preview
  return picture === undefined ? null : <img className="preview" src={picture} alt="" draggable={false} />
}

/** Duration and dimensions. */
function Measures({ item, isStill }: { item: ItemRow; isStill: boolean }) {
  const file = useDetails(item, isStill)?.file_info
  if (!file) return null
  return [file.duration === undefined ? undefined : clock(file.duration), dimensionsOf(file)]
    .filter((measure) => measure !== undefined)
    .map((measure) => ` · ${measure}`)
    .join('')
}

/** Where no picture of the file is kept: what it is, the beginning of what it says, and its colours where it has some. */
const Cover = ({ item: { type, colors, summary } }: { item: ItemRow }) => (
  <>
    <TypeMark type={type} />
    <span className="small soft excerpt">{summary}</span>
    {colors.length > 0 && (
      <span className="swatches" aria-hidden="true">
        {colors.map(({ hex, share }) => (
          <span key={hex} style={{ background: hex, flexGrow: share * 100 }} />
        ))}
      </span>
    )}
  </>
)

export const TypeMark = ({ type }: { type: ItemRow['type'] }) => (
  <span className={`type-mark ${type}`} title={t.types[type]}>
    <Icon name={type} />
    <span className="visually-hidden">{t.types[type]}</span>
  </span>
)
