import type { MediaItem } from '@medialog/client'
import type { ReactNode } from 'react'
import { useRead } from '../data/reads.ts'
import { Copy, clock, number } from '../parts/values.tsx'
import { t } from '../texts/texts.ts'

/** Beside every part of the page: what is known of the file besides its text. */
export function ItemFacts({ item }: { item: MediaItem }) {
  const { file_info: file, metadata } = item
  const visual = metadata?.modality.visual_attributes
  return (
    <aside className="facts" aria-label={t.item.facts}>
      <h2>{t.item.facts}</h2>
      <dl>
        <Fact name={t.item.format}>{metadata?.modality.formatting.original_format.toUpperCase()}</Fact>
        <Fact name={t.item.dimensions}>{dimensionsOf(file)}</Fact>
        <Fact name={t.item.duration}>{file.duration !== undefined && clock(file.duration)}</Fact>
        <Fact name={t.item.pages}>{file.page_count !== undefined && number(file.page_count)}</Fact>
        <Fact name={t.item.words}>{file.word_count !== undefined && number(file.word_count)}</Fact>
        <Fact name={t.item.frameRate}>
          {file.frame_rate !== undefined && t.item.framesASecond(number(file.frame_rate))}
        </Fact>
        <Fact name={t.item.sampleRate}>
          {file.sample_rate !== undefined && t.item.hertz(number(file.sample_rate))}
        </Fact>
        <Fact name={t.item.channels}>{file.channels !== undefined && number(file.channels)}</Fact>
        <Fact name={t.item.vertices}>{file.vertex_count !== undefined && number(file.vertex_count)}</Fact>
        <Fact name={t.item.colors}>
          {visual && visual.dominant_colors.length > 0 && (
            <span className="colors">
              {visual.dominant_colors.map(({ hex, name, share }) => (
                <span key={hex}>
                  <span className="swatch" style={{ background: hex }} />
                  {name} {number(Math.round(share * 100))} %
                </span>
              ))}
            </span>
          )}
        </Fact>
        <Fact name={t.item.enrichedBy}>{metadata?.processing.models.enrichment}</Fact>
        <Fact name={t.item.transcribedBy}>{metadata?.processing.models.transcription}</Fact>
        <Vectors mediaId={item.media_id} passages={item.content?.chunks.length} />
        <Fact name={t.item.checksum}>
          <span className="id">
            <code>{file.checksum.slice(0, 12)}…</code>
            <Copy text={file.checksum} label={t.copy} />
          </span>
        </Fact>
      </dl>
      <p className="soft small">{t.library.noFile}</p>
    </aside>
  )
}

/** A row of the list; nothing where the fact is not known. */
const Fact = ({ name, children }: { name: string; children: ReactNode }) =>
  children !== undefined &&
  children !== false && (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )

/** In pixels, or in the units of a model; undefined for other types. */
export function dimensionsOf({ dimensions, resolution }: MediaItem['file_info']): string | undefined {
  if (resolution !== undefined) return resolution.replace('x', ' × ')
  if (!dimensions) return undefined
  return (
    'width' in dimensions ? [dimensions.width, dimensions.height] : [dimensions.x, dimensions.y, dimensions.z]
  )
    .map(number)
    .join(' × ')
}

/** By which model, and how many: the vectors themselves are not read for it. */
function Vectors({ mediaId, passages }: { mediaId: string; passages: number | undefined }) {
  const { data } = useRead('readMediaHistory', { media_id: mediaId })
  const made = data?.entries.findLast(({ understanding }) => understanding)?.understanding
  return (
    <>
      <Fact name={t.item.passages}>{passages !== undefined && number(passages)}</Fact>
      <Fact name={t.item.vectors}>{made?.hd_vectors !== undefined && number(made.hd_vectors)}</Fact>
      <Fact name={t.item.embeddedBy}>{made?.embedder}</Fact>
    </>
  )
}
