import { useEffect, useState } from 'react'
import { Link } from 'wouter'
import { useStore } from '../data/store.ts'
import { useAnnounced } from '../parts/announcement.tsx'
import { Icon } from '../parts/icons.tsx'
import { number } from '../parts/values.tsx'
import { useSession } from '../session/session.ts'
import { t } from '../texts/texts.ts'
import { hasEnded, type Step, type Upload } from './uploads.ts'

/** The progress of the files that were dropped, until each is understood. */
export function UploadTray() {
  const { uploads } = useSession()
  const list = useStore(uploads.list)
  const [isOpen, setOpen] = useState(true)
  const ended = list.filter(hasEnded)
  const isUnderWay = ended.length < list.length
  useEffect(() => {
    if (!list.some(({ step: { at } }) => at === 'waiting' || at === 'sending')) return
    const listening = new AbortController()
    // What the service has not got yet is lost with the page: the browser asks.
    addEventListener('beforeunload', (event) => event.preventDefault(), { signal: listening.signal })
    return () => listening.abort()
  }, [list])
  const failed = list.filter(({ step: { at } }) => at === 'failed').length
  const done = t.uploads.done(number(ended.length - failed), number(list.length))
  // The beginning and the end: each file would be too much to listen to.
  useAnnounced(
    list.length === 0
      ? ''
      : isUnderWay
        ? t.uploads.begun
        : t.uploads.ended(number(ended.length - failed), number(failed)),
  )
  if (list.length === 0) return null
  return (
    <section className="tray" aria-label={t.uploads.title}>
      <header>
        <p>
          <strong>{isUnderWay ? t.uploads.progress(number(ended.length), number(list.length)) : done}</strong>
          {failed > 0 && <span className="problem"> {t.uploads.failed(number(failed))}</span>}
        </p>
        <button
          type="button"
          className="quiet button"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? t.uploads.hide : t.uploads.show}
        </button>
        {!isUnderWay && (
          <button type="button" className="quiet button" aria-label={t.close} onClick={() => uploads.clear()}>
            <Icon name="close" />
          </button>
        )}
      </header>
      <progress value={ended.length} max={list.length} aria-label={t.uploads.title} />
      {isOpen && (
        // A list that scrolls takes the focus, so that keys move it.
        <ul tabIndex={0} aria-label={t.uploads.files}>
          {byAttention(list).map((upload) => (
            <Line key={upload.id} upload={upload} />
          ))}
        </ul>
      )}
    </section>
  )
}

/** What failed comes first, then what is under way. */
const byAttention = (list: readonly Upload[]): Upload[] =>
  list.toSorted((a, b) => ATTENTION.indexOf(a.step.at) - ATTENTION.indexOf(b.step.at))

const ATTENTION: readonly Upload['step']['at'][] = [
  'failed',
  'sending',
  'reading',
  'waiting',
  'cancelled',
  'stored',
  'known',
]

function textOf(step: Step): string {
  if (step.at === 'sending') return t.uploads.sending(number(Math.round(step.share * 100)))
  if (step.at === 'reading' && step.percent !== undefined) return t.uploads.reading(number(step.percent))
  return t.uploads.steps[step.at]
}

function Line({ upload: { file, step, batchId } }: { upload: Upload }) {
  const mediaId = 'mediaId' in step ? step.mediaId : null
  return (
    <li className={step.at}>
      <bdi className="filename">
        {mediaId === null ? file.name : <Link href={`/library/${mediaId}`}>{file.name}</Link>}
      </bdi>
      <span className="soft small step">
        {textOf(step)}
        {batchId !== null && (step.at === 'reading' || step.at === 'cancelled') && (
          <>
            {' '}
            <Link href={`/batches/${batchId}`}>{t.uploads.batch}</Link>
          </>
        )}
      </span>
      {step.at === 'failed' && <span className="small problem">{step.reason}</span>}
    </li>
  )
}
