import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState, type ReactNode } from 'react'
import { Link, useLocation } from 'wouter'
import { useRead } from './data/reads.ts'
import { DropZone } from './library/drop-zone.tsx'
import { UploadTray } from './library/upload-tray.tsx'
import { hasEnded } from './library/uploads.ts'
import { Icon, type IconName } from './parts/icons.tsx'
import { Announcements } from './parts/announcement.tsx'
import { useKeptFocus } from './parts/focus.ts'
import { usePlaces } from './parts/places.ts'
import { Select } from './parts/select.tsx'
import { usd } from './parts/values.tsx'
import { useStore } from './data/store.ts'
import { connection } from './session/connection.ts'
import { useSession } from './session/session.ts'
import { applyTheme, storedTheme, THEMES } from './session/theme.ts'
import { isReplaced } from './session/version.ts'
import { t } from './texts/texts.ts'

const OF_OPERATOR = ['operator'] as const
const OF_ACCOUNT = ['library', 'search', 'ask', 'billing', 'live'] as const

/** What stands around every view: where one can go, whose account it is, and whether the service answers. */
export function Shell({ children }: { children: ReactNode }) {
  const { secrets } = useSession()
  usePlaces()
  useKeptFocus()
  const views = [
    ...(secrets.apiKey === null ? [] : OF_ACCOUNT),
    ...(secrets.operatorToken === null ? [] : OF_OPERATOR),
  ]
  return (
    <div className="shell">
      <a className="skip" href="#content">
        {t.skip}
      </a>
      <header className="side">
        <Link href="/" className="brand">
          {t.name}
        </Link>
        <nav aria-label={t.nav.label}>
          <ul>
            {views.map((view) => (
              <Destination key={view} view={view} />
            ))}
          </ul>
        </nav>
        <AccountMenu />
      </header>
      <Announcements />
      <main id="content" tabIndex={-1}>
        <Connection />
        <Version />
        {children}
      </main>
      {secrets.apiKey !== null && (
        <>
          <UploadTray />
          <DropZone />
        </>
      )}
    </div>
  )
}

/** Addresses that belong to a view besides its own. */
const BELOW: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries<readonly string[]>({
    library: ['/batches'],
    search: ['/similar'],
    billing: ['/requests'],
  }),
)

function Destination({ view }: { view: keyof typeof t.nav & IconName }) {
  const [location] = useLocation()
  const isHere = [`/${view}`, ...(BELOW.get(view) ?? [])].some((path) => location.startsWith(path))
  return (
    <li>
      <Link href={`/${view}`} aria-current={isHere ? 'page' : undefined}>
        <Icon name={view} />
        {t.nav[view]}
      </Link>
    </li>
  )
}

function AccountMenu() {
  const { secrets, signOut } = useSession()
  const [, navigate] = useLocation()
  const [theme, setTheme] = useState(storedTheme)
  const usage = useRead('readUsage', {}, { enabled: secrets.apiKey !== null })
  return (
    <section className="account" aria-label={t.account.label}>
      {usage.data && (
        <p className="balance">
          <span className="soft small">{t.account.balance}</span>
          <strong>{usd(usage.data.account_info.balance)}</strong>
        </p>
      )}
      <Select
        label={t.account.theme}
        options={THEMES.map((name) => ({ value: name, label: t.account.themes[name] }))}
        chosen={theme}
        choose={(chosen) => {
          applyTheme(chosen)
          setTheme(chosen)
        }}
      />
      <a className="quiet button" href="/docs">
        {t.account.reference}
      </a>
      <button
        type="button"
        className="quiet button"
        onClick={() => {
          navigate('/')
          signOut()
        }}
      >
        <Icon name="leave" />
        {t.account.signOut}
      </button>
    </section>
  )
}

/** Says that the service has a later release of these pages. With nothing under way, the next view comes from that one. */
function Version() {
  const { uploads, paid, selection } = useSession()
  const [path] = useLocation()
  const isLate = useStore(isReplaced)
  const isUploading = useStore(uploads.list).some((upload) => !hasEnded(upload))
  const isPaying = useStore(paid.list).some(({ state }) => state.at !== 'before')
  const isChoosing = useStore(selection).size > 0
  const isBusy = isUploading || isPaying || isChoosing
  const seen = useRef(path)
  useEffect(() => {
    if (seen.current === path) return
    seen.current = path
    if (isLate && !isBusy) location.reload()
  })
  return (
    <div role="status" className={isLate ? 'banner' : undefined}>
      {isLate && (
        <>
          {isBusy ? t.version.busy : t.version.here}
          <button type="button" className="quiet button" onClick={() => location.reload()}>
            {t.version.reload}
          </button>
        </>
      )}
    </div>
  )
}

/** While the service is unavailable, what was read before stays in view. */
function Connection() {
  const cache = useQueryClient()
  if (useStore(connection) === 'there') return <div role="status" />
  return (
    <div role="status" className="banner">
      {t.connection.lost}
      <button
        type="button"
        className="quiet button"
        onClick={() => void cache.refetchQueries({ type: 'active' }, { cancelRefetch: true })}
      >
        {t.connection.again}
      </button>
    </div>
  )
}
