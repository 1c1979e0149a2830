import { Link, useLocation } from 'wouter'
import { t } from '../texts/texts.ts'

/** Items, and the batches that some of them came by. */
export function LibraryTabs() {
  const [location] = useLocation()
  return (
    <nav className="tabs" aria-label={t.library.title}>
      {(['library', 'batches'] as const).map((name) => (
        <Link key={name} href={`/${name}`} aria-current={location === `/${name}` ? 'page' : undefined}>
          {name === 'library' ? t.library.items : t.batches.title}
        </Link>
      ))}
    </nav>
  )
}
