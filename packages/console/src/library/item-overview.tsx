import type { MediaItem } from '@medialog/client'
import { Link } from 'wouter'
import { clock } from '../parts/values.tsx'
import type { Query } from '../search/query.ts'
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
      <Words title={t.item.topics} words={semantic_markers.topics} kind="topics" />
      {kinds.length > 0 && (
        <section>
          <h2>{t.item.entities}</h2>
          <dl className="pairs">
            {kinds.map((kind) => (
              <div key={kind}>
                <dt>{t.item.kinds[kind]}</dt>
                <dd>
                  <ul className="words">
                    {entities[kind].map((name) => (
                      <Word key={name} word={name} kind={kind} />
                    ))}
                  </ul>
                </dd>
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

interface WordsProps {
  title: string
  words: readonly string[]
  kind?: keyof Query
}

const Words = ({ title, words, kind }: WordsProps) =>
  words.length > 0 && (
    <section>
      <h2>{title}</h2>
      <ul className="words">
        {words.map((word) => (
          <Word key={word} word={word} kind={kind} />
        ))}
      </ul>
    </section>
  )

/** It leads to what else the library has of it: by the filter of its kind, in which terms stand between commas. */
function Word({ word, kind }: { word: string; kind: keyof Query | undefined }) {
  const parameters = new URLSearchParams({ q: word, ...(kind && !word.includes(',') && { [kind]: word }) })
  return (
    <li>
      <Link href={`/search?${parameters}`}>{word}</Link>
    </li>
  )
}
