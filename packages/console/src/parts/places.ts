import { useEffect, useRef, useState } from 'react'
import { useLocation, useSearch } from 'wouter'
import { kept, keep } from './kept.ts'

/** Where one was in a view. */
interface Place {
  /** The parameters of its address. */
  search: string
  /** How far it was scrolled, in pixels. */
  y: number
  /** The address of the link by which one left it; empty where one left otherwise. */
  link: string
}

/** Between two looks at where the page is. */
const PAUSE_MS = 150
/** A list that is read again is as long as it was by then. */
const PATIENCE_MS = 5000

const linkOf = (target: EventTarget | null): string =>
  (target as Element).closest('main a[href]')?.getAttribute('href') ?? ''

const nameOf = (path: string): string => `place.${path}`

/** Where one was last in the view at `path`. */
export function placeIn(path: string): Place {
  const place = kept(nameOf(path))
  return place === '' ? { search: '', y: 0, link: '' } : (JSON.parse(place) as Place)
}

/** The address of the view at `path` as one left it. */
export function hrefOf(path: string): string {
  const { search } = placeIn(path)
  return search === '' ? path : `${path}?${search}`
}

/** What the browser's history holds of its entry that one is at. */
const placeHere = (): Partial<Place> => (history.state ?? {}) as Partial<Place>

/** Scrolls and focuses as soon as the page has what is needed for it, unless one does something oneself before. */
function goBackTo({ y = 0, link = '' }: Partial<Place>): () => void {
  const over = new AbortController()
  const { signal } = over
  const stop = (): void => over.abort()
  for (const name of ['wheel', 'touchstart', 'pointerdown', 'keydown'])
    addEventListener(name, stop, { signal, passive: true })
  const end = performance.now() + PATIENCE_MS
  let isFocused = link === ''
  const look = (): void => {
    if (signal.aborted) return
    scrollTo(0, y)
    if (!isFocused) {
      const target = document.querySelector<HTMLElement>(`main a[href="${CSS.escape(link)}"]`)
      // The heading may have the focus by now, or the first field of a form.
      target?.focus({ preventScroll: true })
      isFocused = target !== null
    }
    if ((isFocused && Math.abs(scrollY - y) < 1) || performance.now() > end) stop()
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
  /** How often one went back or forward: also between two addresses of one view. */
  const [moves, setMoves] = useState(0)
  const here = useRef({ path, search })
  here.current = { path, search }
  useEffect(() => {
    history.scrollRestoration = 'manual'
    const listening = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    function save(link = placeHere().link ?? ''): void {
      clearTimeout(timer)
      timer = undefined
      const y = scrollY
      keep(
        nameOf(here.current.path),
        JSON.stringify({ search: here.current.search, y, link } satisfies Place),
      )
      if (placeHere().y !== y || placeHere().link !== link)
        history.replaceState({ ...history.state, y, link }, '')
    }
    const options = { signal: listening.signal, passive: true, capture: true }
    addEventListener('scroll', () => (timer ??= setTimeout(() => save(), PAUSE_MS)), options)
    // Before a press leads elsewhere.
    addEventListener('click', ({ target }) => save(linkOf(target)), options)
    addEventListener('pagehide', () => save(), options)
    addEventListener('popstate', () => setMoves((count) => count + 1), options)
    return () => {
      clearTimeout(timer)
      listening.abort()
    }
  }, [])
  useEffect(() => {
    const { y = 0, link = '' } = placeHere()
    if (y > 0 || link !== '') return goBackTo({ y, link })
    // An address with a fragment names its place itself.
    if (location.hash === '') scrollTo(0, 0)
    return undefined
  }, [path, moves])
}
