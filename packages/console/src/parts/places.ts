import { useEffect, useRef } from 'react'
import { useLocation, useSearch } from 'wouter'
import { kept, keep } from './kept.ts'

/** Where one was in a view: the parameters of its address, and how far it was scrolled, in pixels. */
interface Place {
  search: string
  y: number
}

/** Between two looks at where the page is. */
const PAUSE_MS = 150
/** A list that is read again is as long as it was by then. */
const PATIENCE_MS = 5000

const nameOf = (path: string): string => `place.${path}`

/** Where one was last in the view at `path`. */
export function placeIn(path: string): Place {
  const place = kept(nameOf(path))
  return place === '' ? { search: '', y: 0 } : (JSON.parse(place) as Place)
}

/** The address of the view at `path` as one left it. */
export function hrefOf(path: string): string {
  const { search } = placeIn(path)
  return search === '' ? path : `${path}?${search}`
}

const heightOf = ({ y }: Partial<Place>): number => (typeof y === 'number' ? y : 0)

/** Scrolls as soon as the page is long enough, unless one scrolls oneself before. */
function scrollBack(y: number): () => void {
  const over = new AbortController()
  const { signal } = over
  const stop = (): void => over.abort()
  for (const name of ['wheel', 'touchstart', 'pointerdown', 'keydown'])
    addEventListener(name, stop, { signal, passive: true })
  const end = performance.now() + PATIENCE_MS
  const look = (): void => {
    if (signal.aborted) return
    scrollTo(0, y)
    if (Math.abs(scrollY - y) < 1 || performance.now() > end) stop()
    else requestAnimationFrame(look)
  }
  look()
  return stop
}

/**
 * A new view is seen from its top; going back, reloading the page and a link with a place lead to where one was. An entry of the
 * browser's history holds how far it was scrolled.
 */
export function usePlaces(): void {
  const [path] = useLocation()
  const search = useSearch()
  const here = useRef({ path, search })
  here.current = { path, search }
  useEffect(() => {
    history.scrollRestoration = 'manual'
    const listening = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    function save(): void {
      clearTimeout(timer)
      timer = undefined
      const place: Place = { search: here.current.search, y: scrollY }
      keep(nameOf(here.current.path), JSON.stringify(place))
      if (heightOf((history.state ?? {}) as Partial<Place>) !== place.y)
        history.replaceState({ ...history.state, y: place.y }, '')
    }
    const options = { signal: listening.signal, passive: true, capture: true }
    addEventListener('scroll', () => (timer ??= setTimeout(save, PAUSE_MS)), options)
    // Before a press leads elsewhere.
    addEventListener('click', save, options)
    addEventListener('pagehide', save, options)
    return () => {
      clearTimeout(timer)
      listening.abort()
    }
  }, [])
  useEffect(() => {
    const y = heightOf((history.state ?? {}) as Partial<Place>)
    if (y > 0) return scrollBack(y)
    scrollTo(0, 0)
    return undefined
  }, [path])
}
