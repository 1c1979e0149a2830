import type { MedialogError } from '@medialog/client'
import { t } from '../texts/texts.ts'
import { Problem } from './problem.tsx'

interface Props {
  /** What the form does, on its button. */
  action: string
  isPending: boolean
  error: MedialogError | null
  cancel: () => void
}

/** The end of a form in a dialog: why it was refused, and the buttons. */
export const FormEnd = ({ action, isPending, error, cancel }: Props) => (
  <>
    <Problem>{error?.message}</Problem>
    <div className="actions">
      <button type="submit" className="primary button" aria-disabled={isPending}>
        {action}
      </button>
      <button type="button" className="button" onClick={cancel}>
        {t.cancel}
      </button>
    </div>
  </>
)
