import { Link } from 'wouter'
import { t } from '../texts/texts.ts'

export const NotFound = () => (
  <div className="empty">
    <h1>{t.states.notFound}</h1>
    <p>{t.states.notFoundText}</p>
    <Link href="/library">{t.states.toLibrary}</Link>
  </div>
)
