import type { OperationId, Operations } from '@medialog/client'
import { Suspense, useState } from 'react'
import { t } from '../texts/texts.ts'
import { lazyPart } from './lazy-part.ts'

const CodeDialog = lazyPart(async () => (await import('./code-dialog.tsx')).CodeDialog)

/** What a view shows, as a call of the API in three languages. */
export function CopyAs<Id extends OperationId>({ id, input }: { id: Id; input: Operations[Id]['input'] }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" className="quiet button" onClick={() => setOpen(true)}>
        {t.code.action}
      </button>
      {isOpen && (
        <Suspense>
          <CodeDialog id={id} input={input} close={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
