import type { MedialogError } from '@medialog/client'
import { useState, type ReactNode } from 'react'
import { t } from '../texts/texts.ts'
import { Dialog } from './dialog.tsx'
import { Problem } from './problem.tsx'

interface Props {
  action: string
  title: string
  text: string
  /** What is to be typed before; nothing where a press is enough. */
  words?: string
  isPending: boolean
  error: MedialogError | null
  confirm: () => void
}

/** A button for what cannot be undone, which asks once more. */
export function Confirm({ action, title, text, words, isPending, error, confirm }: Props): ReactNode {
  const [isOpen, setOpen] = useState(false)
  const [typed, setTyped] = useState('')
  return (
    <>
      <button type="button" className="danger button" onClick={() => setOpen(true)}>
        {action}
      </button>
      {isOpen && (
        <Dialog title={title} close={() => setOpen(false)}>
          <p>{text}</p>
          {words !== undefined && (
            <label className="field">
              <span>{t.confirm.type(words)}</span>
              <input value={typed} onChange={({ target }) => setTyped(target.value)} autoComplete="off" />
            </label>
          )}
          <Problem>{error?.message}</Problem>
          <div className="actions">
            <button
              type="button"
              className="danger button"
              disabled={isPending || (words !== undefined && typed !== words)}
              onClick={confirm}
            >
              {action}
            </button>
            <button type="button" className="button" onClick={() => setOpen(false)}>
              {t.cancel}
            </button>
          </div>
        </Dialog>
      )}
    </>
  )
}
