import { useState } from 'react'
import { t } from '../texts/texts.ts'
import { Dialog } from './dialog.tsx'
import { Copy } from './values.tsx'

/** A secret that is shown this once: only a button closes it. */
export function Secret({ title, secret, close }: { title: string; secret: string; close: () => void }) {
  const [isLeaving, setLeaving] = useState(false)
  return (
    <Dialog title={title} close={() => setLeaving(true)}>
      <p>{t.secret.once}</p>
      <p className="id secret">
        <code>{secret}</code>
        <Copy text={secret} label={t.copy} />
      </p>
      <p className="problem" role="alert">
        {isLeaving && t.secret.leaving}
      </p>
      <div className="actions">
        <button type="button" className="primary button" onClick={close}>
          {t.secret.kept}
        </button>
      </div>
    </Dialog>
  )
}
