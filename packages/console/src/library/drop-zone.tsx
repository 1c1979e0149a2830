import { useEffect, useState } from 'react'
import { useSearchParams } from 'wouter'
import { useSession } from '../session/session.ts'
import { t } from '../texts/texts.ts'
import { filesOf } from './dropped.ts'

/** Takes files that are dropped or pasted anywhere on the page, and folders that are dropped, into the collection that is in view. */
export function DropZone() {
  const { uploads } = useSession()
  const [parameters] = useSearchParams()
  const collection = parameters.get('collection')
  const [isOver, setOver] = useState(false)
  useEffect(() => {
    const listening = new AbortController()
    const hasFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer?.types.includes('Files') ?? false
    const listen = (name: 'dragover' | 'dragleave' | 'drop', listener: (event: DragEvent) => void): void =>
      addEventListener(
        name,
        (event) => {
          if (!hasFiles(event)) return
          event.preventDefault()
          listener(event)
        },
        { signal: listening.signal },
      )
    listen('dragover', () => setOver(true))
    listen('dragleave', ({ relatedTarget }) => setOver(relatedTarget !== null))
    listen('drop', (event) => {
      setOver(false)
      void filesOf(event.dataTransfer!).then((files) => uploads.add(files, collection))
    })
    addEventListener(
      'paste',
      (event) => {
        const files = [...(event.clipboardData?.files ?? [])]
        if (files.length === 0) return
        event.preventDefault()
        uploads.add(files, collection)
      },
      { signal: listening.signal },
    )
    return () => listening.abort()
  }, [uploads, collection])
  if (!isOver) return null
  return (
    <div className="drop-zone">{collection === null ? t.uploads.drop : t.uploads.dropInto(collection)}</div>
  )
}
