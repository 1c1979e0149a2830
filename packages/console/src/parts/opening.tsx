import { t } from '../texts/texts.ts'

/** The page while it is not known yet what it shows; `index.html` has the same. */
export const Opening = () => (
  <main className="opening">
    <h1 className="brand">{t.name}</h1>
    <p className="soft">{t.states.loading}</p>
  </main>
)
