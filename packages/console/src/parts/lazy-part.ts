import { createElement, use, type ComponentType, type FunctionComponent } from 'react'
import { lookForNewVersion } from '../session/version.ts'

type LazyPart<Props> = FunctionComponent<Props> & {
  /** Loads the part before it is shown, again where that failed. */
  load: () => Promise<unknown>
}

/** A part of the page did not come: the service does not answer, or has other parts by now. */
export class PartNotLoaded extends Error {
  override name = 'PartNotLoaded'

  constructor(cause: unknown) {
    super('A part of the page could not be loaded.', { cause })
  }
}

/** Parts that could not be loaded: how each is made to try again. */
const retries = new Set<() => void>()

/** Has every part that could not be loaded try again when it is shown next. */
export function retryParts(): void {
  for (const retry of retries) retry()
  retries.clear()
}

/** A component that is loaded when it is needed first. Unlike with `React.lazy`, loading can be tried again. */
export function lazyPart<Props extends object>(
  importPart: () => Promise<ComponentType<Props>>,
): LazyPart<Props> {
  let loading: Promise<ComponentType<Props>> | null = null
  function loadOnce(): Promise<ComponentType<Props>> {
    if (loading) return loading
    loading = importPart().catch(async (error: unknown) => {
      retries.add(() => (loading = null))
      // Parts of a release that was replaced are not there any more.
      await lookForNewVersion()
      throw new PartNotLoaded(error)
    })
    return loading
  }
  function load(): Promise<unknown> {
    retryParts()
    return loadOnce()
  }
  return Object.assign((props: Props) => createElement(use(loadOnce()), props), { load })
}
