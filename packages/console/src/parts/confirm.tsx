import type { MedialogError } from '@medialog/client'
import { useState, type ReactNode } from 'react'
import { t } from '../texts/texts.ts'
import { announce } from './announcement.tsx'
import { Dialog } from './dialog.tsx'
import { Problem } from './problem.tsx'

interface QuestionProps {
  action: string
  /** Of the button that leaves everything as it is. */
  keep?: string
  /** What is to be typed before; nothing where a press is enough. */
  words?: string | undefined
  isPending: boolean
  error: MedialogError | null
  confirm: () => void
  cancel: () => void
  /** What happens, and to what. */
  children: ReactNode
}

/** In a dialog: what is about to happen, once more. It opens on the button that leaves everything as it is. */
export function Question({
  action,
  keep = t.cancel,
  words,
  isPending,
  error,
  confirm,
  cancel,
  children,
}: QuestionProps): ReactNode {
  const [typed, setTyped] = useState('')
  return (
    <>
      {children}
      {words !== undefined && (
        <label className="field">
          <span>{t.confirm.type(words)}</span>
          <input value={typed} onChange={({ target }) => setTyped(target.value)} autoComplete="off" />
        </label>
      )}
      <Problem>{error?.message}</Problem>
      <div className="actions">
        <button type="button" className="button" onClick={cancel} data-first>
          {keep}
        </button>
        <button
          type="button"
          className="danger button"
          disabled={words !== undefined && typed.trim() !== words}
          aria-disabled={isPending}
          onClick={confirm}
        >
          {action}
        </button>
      </div>
    </>
  )
}

interface Props extends Omit<QuestionProps, 'confirm' | 'cancel' | 'children'> {
  title: string
  text: string
  /** Of the button that opens the dialog; it has the action's name where this is left out. */
  label?: string | undefined
  /** More than the label says, for who does not see where the button stands. */
  name?: string | undefined
  className?: string
  /** Does it, and calls `done` once it is done: the dialog closes. */
  confirm: (done: () => void) => void
}

/** A button for what cannot be undone, or costs others something: it asks once more. */
export function Confirm({
  title,
  text,
  label,
  name,
  className = 'danger button',
  confirm,
  ...question
}: Props): ReactNode {
  const [isOpen, setOpen] = useState(false)
  const close = (): void => setOpen(false)
  function done(): void {
    announce(t.confirm.done(question.action))
    close()
  }
  return (
    <>
      <button type="button" className={className} aria-label={name} onClick={() => setOpen(true)}>
        {label ?? question.action}
      </button>
      {isOpen && (
        <Dialog title={title} close={close}>
          <Question {...question} confirm={() => confirm(done)} cancel={close}>
            <p>{text}</p>
          </Question>
        </Dialog>
      )}
    </>
  )
}
