import type { OperationId, Operations } from '@medialog/client'
import { useState } from 'react'
import { t } from '../texts/texts.ts'
import { codeOf, type Language } from './code.ts'
import { Dialog } from './dialog.tsx'
import { Segments } from './segments.tsx'
import { Copy } from './values.tsx'

const LANGUAGES: readonly Language[] = ['curl', 'typescript', 'python']

interface Props {
  id: OperationId
  input: Operations[OperationId]['input']
  close: () => void
}

/** A call of the API in a language that one chooses. */
export function CodeDialog({ id, input, close }: Props) {
  const [language, setLanguage] = useState<Language>('curl')
  const code = codeOf(language, id, input, location.origin)
  return (
    <Dialog title={t.code.title} close={close}>
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
        <button type="button" className="button" onClick={close}>
          {t.close}
        </button>
      </div>
    </Dialog>
  )
}
