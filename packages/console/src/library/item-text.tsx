import type { MediaItem } from '@medialog/client'
import { useMemo } from 'react'
import { t } from '../texts/texts.ts'
import { sectionsOf } from './sections.ts'

/** The text as it was read, by sections where the file has titles. */
export function ItemText({ item: { content, metadata } }: { item: MediaItem }) {
  const text = content?.text ?? ''
  const titles = metadata?.modality.structure.sections
  const sections = useMemo(() => sectionsOf(text, titles ?? []), [text, titles])
  if (sections.length === 0 && !content?.transcript) return <p className="soft">{t.item.noText}</p>
  return (
    <div className="text" dir="auto">
      {sections.map(({ title, level, text: body }, place) => (
        <section key={place}>
          {title !== null && (level === 1 ? <h2>{title}</h2> : <h3>{title}</h3>)}
          {body !== '' && <p>{body}</p>}
        </section>
      ))}
      {content?.transcript && (
        <section>
          <h2>{t.item.transcript}</h2>
          <p>{content.transcript}</p>
        </section>
      )}
      {metadata?.modality.formatting.was_truncated && <p className="soft">{t.item.truncated}</p>}
    </div>
  )
}
