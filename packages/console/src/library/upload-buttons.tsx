import { useRef } from 'react'
import { Icon } from '../parts/icons.tsx'
import { useSession } from '../session/session.ts'
import { t } from '../texts/texts.ts'
import { shownFiles } from './dropped.ts'

/** For those who do not drop: files, or a folder with all that is in it. */
export function UploadButtons({ collection }: { collection: string | null }) {
  return (
    <>
      <Chooser label={t.uploads.files} className="primary button" collection={collection} />
      <Chooser label={t.uploads.folder} className="button" collection={collection} isFolder />
    </>
  )
}

interface Props {
  label: string
  className: string
  collection: string | null
  isFolder?: boolean
}

function Chooser({ label, className, collection, isFolder = false }: Props) {
  const { uploads } = useSession()
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <button
        type="button"
        className={className}
        onClick={() => {
          input.current!.webkitdirectory = isFolder
          input.current!.click()
        }}
      >
        {!isFolder && <Icon name="upload" />}
        {label}
      </button>
      <input
        ref={input}
        type="file"
        hidden
        multiple
        aria-label={label}
        onChange={({ target }) => {
          uploads.add(shownFiles(target.files!), collection)
          target.value = ''
        }}
      />
    </>
  )
}
