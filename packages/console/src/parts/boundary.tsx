import { Component, type ReactNode } from 'react'
import { Link, useLocation } from 'wouter'
import { t } from '../texts/texts.ts'
import { PartNotLoaded, retryParts } from './lazy-part.ts'

/** Shows that a view failed, and leaves the rest of the page as it is. Another address is another try. */
export function Boundary({ children }: { children: ReactNode }) {
  const [location] = useLocation()
  return (
    <Failing
      key={location}
      instead={(error, again) => (
        <div className="empty" role="alert">
          <h1>{error instanceof PartNotLoaded ? t.states.notLoaded : t.states.viewFailed}</h1>
          <p>{error instanceof PartNotLoaded ? t.states.notLoadedText : t.states.viewFailedText}</p>
          <div className="actions">
            <button type="button" className="button" onClick={again}>
              {t.states.again}
            </button>
            <Link href="/library">{t.states.toLibrary}</Link>
          </div>
        </div>
      )}
    >
      {children}
    </Failing>
  )
}

/** Around all of the page: what fails outside of a view. */
export const LastBoundary = ({ children }: { children: ReactNode }) => (
  <Failing
    instead={() => (
      <main className="opening" role="alert">
        <h1>{t.states.pageFailed}</h1>
        <button type="button" className="button" onClick={() => location.reload()}>
          {t.version.reload}
        </button>
      </main>
    )}
  >
    {children}
  </Failing>
)

interface Props {
  instead: (error: unknown, again: () => void) => ReactNode
  children: ReactNode
}

class Failing extends Component<Props, { failure: { error: unknown } | null }> {
  override state: { failure: { error: unknown } | null } = { failure: null }

  static getDerivedStateFromError(error: unknown): { failure: { error: unknown } } {
    return { failure: { error } }
  }

  override render(): ReactNode {
    const { failure } = this.state
    if (!failure) return this.props.children
    return this.props.instead(failure.error, () => {
      retryParts()
      this.setState({ failure: null })
    })
  }
}
