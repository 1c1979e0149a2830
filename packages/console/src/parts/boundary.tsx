import { Component, type ReactNode } from 'react'
import { Link, useLocation } from 'wouter'
import { t } from '../texts/texts.ts'

/** Shows that a view failed, and leaves the rest of the page as it is. Another address is another try. */
export function Boundary({ children }: { children: ReactNode }) {
  const [location] = useLocation()
  return <FailingView key={location}>{children}</FailingView>
}

class FailingView extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false }

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true }
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children
    return (
      <div className="empty" role="alert">
        <h1>{t.states.viewFailed}</h1>
        <p>{t.states.viewFailedText}</p>
        <button type="button" onClick={() => this.setState({ failed: false })}>
          {t.states.tryAgain}
        </button>
        <Link href="/library">{t.states.toLibrary}</Link>
      </div>
    )
  }
}
