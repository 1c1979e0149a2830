import { t } from '../texts/texts.ts'
import { Dialog } from './dialog.tsx'
import { Copy } from './values.tsx'

/** A secret that is shown this once. */
export const Secret = ({ title, secret, close }: { title: string; secret: string; close: () => void }) => (
  <Dialog title={title} close={close}>
    <p>{t.secret.once}</p>
    <p className="id secret">
      <code>{secret}</code>
      <Copy text={secret} label={t.copy} />
    </p>
    <div className="actions">
      <button type="button" className="primary button" onClick={close}>
        {t.secret.kept}
      </button>
    </div>
  </Dialog>
)
