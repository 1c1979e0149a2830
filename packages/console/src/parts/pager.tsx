import { t } from '../texts/texts.ts'
import { number } from './values.tsx'

interface Props {
  page: number
  total_pages: number
  to: (page: number) => void
}

/** The way to the pages before and after this one; nothing where it is the only one. */
export const Pager = ({ page, total_pages: pages, to }: Props) =>
  pages > 1 && (
    <nav className="pager" aria-label={t.pager.label}>
      <button
        type="button"
        className="button"
        aria-disabled={page <= 1}
        onClick={() => page > 1 && to(page - 1)}
      >
        {t.pager.previous}
      </button>
      <span className="soft">{t.pager.place(number(page), number(pages))}</span>
      <button
        type="button"
        className="button"
        aria-disabled={page >= pages}
        onClick={() => page < pages && to(page + 1)}
      >
        {t.pager.next}
      </button>
    </nav>
  )
