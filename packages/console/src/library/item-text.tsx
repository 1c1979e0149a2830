import type { MediaItem } from '@medialog/client'
import { useEffect, useMemo, useRef } from 'react'
import { useSearchParams } from 'wouter'
import { clock } from '../parts/values.tsx'
import { t } from '../texts/texts.ts'
import { passageIn } from './passage.ts'
import { sectionsOf, type Section } from './sections.ts'

/** The text as it was read, by sections where the file has titles. `?chunk=` names a passage, which is marked and in view. */
export function ItemText({ item: { content, metadata } }: { item: MediaItem }) {
  const [parameters] = useSearchParams()
  const chunk = parameters.get('chunk')
  const passage = chunk === null ? undefined : content?.chunks[Number(chunk)]
  const text = content?.text ?? ''
  const titles = metadata?.modality.structure.sections
  const sections = useMemo(() => sectionsOf(text, titles ?? []), [text, titles])
  const segments = content?.segments ?? []
  const isMarked = passage !== undefined && sections.some((section) => passageIn(section.text, passage))
  const marked = useRef<HTMLDivElement>(null)
  useEffect(() => {
    marked.current?.querySelector('mark')?.scrollIntoView({ block: 'center' })
  }, [chunk])
  if (sections.length === 0) return <p className="soft">{t.item.noText}</p>
  return (
    <div className="text" dir="auto" ref={marked}>
      {passage !== undefined && !isMarked && (
        <section>
          <h2>{t.item.passage}</h2>
          <p>
            <mark>{passage}</mark>
          </p>
        </section>
      )}
      {segments.length > 0
        ? segments.map((segment, place) => <SegmentText key={place} segment={segment} passage={passage} />)
        : sections.map((section, place) => <SectionText key={place} section={section} passage={passage} />)}
      {metadata?.modality.formatting.was_truncated && <p className="soft">{t.item.truncated}</p>}
    </div>
  )
}

function SectionText({
  section: { title, level, text },
  passage,
}: {
  section: Section
  passage: string | undefined
}) {
  const [start, end] = (passage !== undefined && passageIn(text, passage)) || [0, 0]
  return (
    <section>
      {title !== null && (level === 1 ? <h2>{title}</h2> : <h3>{title}</h3>)}
      {text !== '' && (
        <p>
          {text.slice(0, start)}
          {end > start && <mark>{text.slice(start, end)}</mark>}
          {text.slice(end)}
        </p>
      )}
    </section>
  )
}

type Segment = NonNullable<NonNullable<MediaItem['content']>['segments']>[number]

/** A sentence or a few of what is said, with its time; marked where the passage has it. */
function SegmentText({
  segment: { start, text },
  passage,
}: {
  segment: Segment
  passage: string | undefined
}) {
  return (
    <p className="segment">
      <span className="soft small">{clock(Math.floor(start))}</span>
      {passage?.includes(text) ? <mark>{text}</mark> : text}
    </p>
  )
}
