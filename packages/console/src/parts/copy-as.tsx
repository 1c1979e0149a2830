import type { OperationId, Operations } from '@medialog/client'
import { useState } from 'react'
import { t } from '../texts/texts.ts'
import { codeOf, type Language } from './code.ts'
import { Dialog } from './dialog.tsx'
import { Segments } from './segments.tsx'
import { Copy } from './values.tsx'

const LANGUAGES: readonly Language[] = ['curl', 'typescript', 'python']

/** What a view shows, as a call of the API in three languages. */
export function CopyAs<Id extends OperationId>({ id, input }: { id: Id; input: Operations[Id]['input'] }) {
  const [isOpen, setOpen] = useState(false)
  const [language, setLanguage] = useState<Language>('curl')
  const code = codeOf(language, id, input, location.origin)
  return (
    <>
      <button type="button" className="quiet button" onClick={() => setOpen(true)}>
        {t.code.action}
      </button>
      {isOpen && (
        <Dialog title={t.code.title} close={() => setOpen(false)}>
          <Segments
            legend={t.code.language}
            options={LANGUAGES.map((value) => ({ value, label: t.code.languages[value] }))}
            chosen={language}
            choose={setLanguage}
          />
          {/* It scrolls to the side, so keys have to reach it. */}
          <pre className="code" tabIndex={0} aria-label={t.code.languages[language]}>
            {code}
          </pre>
          <div className="actions">
            <Copy text={code} label={t.copy} />
            <button type="button" className="button" onClick={() => setOpen(false)}>
              {t.close}
            </button>
          </div>
        </Dialog>
      )}
    </>
  )
}
