import type { MediaItem } from '@medialog/client'
import { clock } from '../parts/values.tsx'
import { t } from '../texts/texts.ts'

const KINDS = ['people', 'organizations', 'locations', 'concepts'] as const

/** What was understood of the file, in words. */
export function ItemOverview({ item: { metadata, content } }: { item: MediaItem }) {
  if (!metadata) return null
  const { summary, description, keywords, semantic_markers, entities } = metadata.search
  const kinds = KINDS.filter((kind) => entities[kind].length > 0)
  const { warnings } = metadata.processing
  return (
    <>
      {content?.preview !== undefined && (
        <img className="item-preview" src={content.preview} alt={t.item.preview} />
      )}
      <section>
        <h2>{t.item.summary}</h2>
        <p className="lead">{summary}</p>
        <p className="soft">{description}</p>
      </section>
      {content?.key_frames && content.key_frames.length > 0 && (
        <section>
          <h2>{t.item.keyFrames}</h2>
          <ul className="frames">
            {content.key_frames.map(({ timestamp, thumbnail }) => (
              <li key={timestamp}>
                <img src={thumbnail} alt={t.item.frameAt(clock(timestamp))} />
                <span className="soft small">{clock(timestamp)}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
      <Words title={t.item.keywords} words={keywords} />
      <Words title={t.item.topics} words={semantic_markers.topics} />
      {kinds.length > 0 && (
        <section>
          <h2>{t.item.entities}</h2>
          <dl className="pairs">
            {kinds.map((kind) => (
              <div key={kind}>
                <dt>{t.item.kinds[kind]}</dt>
                <dd>{entities[kind].join(', ')}</dd>
              </div>
            ))}
          </dl>
        </section>
      )}
      {warnings.length > 0 && (
        <section>
          <h2>{t.item.warnings}</h2>
          <ul className="plain">
            {warnings.map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        </section>
      )}
    </>
  )
}

const Words = ({ title, words }: { title: string; words: readonly string[] }) =>
  words.length > 0 && (
    <section>
      <h2>{title}</h2>
      <ul className="words">
        {words.map((word) => (
          <li key={word}>{word}</li>
        ))}
      </ul>
    </section>
  )
