import type { MediaItem } from '@medialog/client'
import { Link, useLocation } from 'wouter'
import { AskAbout } from '../ask/ask.tsx'
import { useRead } from '../data/reads.ts'
import { CopyAs } from '../parts/copy-as.tsx'
import { NotFound } from '../parts/not-found.tsx'
import { hrefOf, placeIn } from '../parts/places.ts'
import { Shown } from '../parts/states.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { useTitle } from '../parts/title.ts'
import { bytes, Id, Time } from '../parts/values.tsx'
import { t } from '../texts/texts.ts'
import { ItemActions } from './item-actions.tsx'
import { ItemFacts } from './item-facts.tsx'
import { ItemOverview } from './item-overview.tsx'
import { ItemText } from './item-text.tsx'
import { TypeMark } from './item-list.tsx'
import { Life } from './life.tsx'
import { Back } from '../parts/back.tsx'

const PARTS = ['overview', 'text', 'life'] as const
const addressOf = (mediaId: string, part: (typeof PARTS)[number]): string =>
  part === 'overview' ? `/library/${mediaId}` : `/library/${mediaId}/${part}`

/** One item: what was understood of it, its text, and every event of its life. */
export function Item({ mediaId, part = 'overview' }: { mediaId: string; part?: string | undefined }) {
  const read = useRead('readMedia', { media_id: mediaId, include_chunks: true })
  const here = PARTS.find((name) => name === part)
  useTitle(read.data?.file_info.filename ?? t.library.title)
  if (!here) return <NotFound />
  return (
    <article className="item">
      <Back to="/library">{t.item.back}</Back>
      {!read.data && <h1 className="visually-hidden">{t.item.title}</h1>}
      <Shown read={read} lines={8}>
        {(item) => (
          <>
            <ItemHead item={item} />
            <Tabs
              label={t.item.parts}
              here={addressOf(mediaId, here)}
              tabs={PARTS.map((name) => [addressOf(mediaId, name), t.item[name]])}
            />
            <div className="item-body">
              <div className="item-main">
                {here === 'overview' && <ItemOverview item={item} />}
                {here === 'text' && <ItemText item={item} />}
                {here === 'life' && <Life mediaId={mediaId} />}
              </div>
              <ItemFacts item={item} />
            </div>
          </>
        )}
      </Shown>
    </article>
  )
}

function ItemHead({ item }: { item: MediaItem }) {
  const [, navigate] = useLocation()
  return (
    <header className="item-head">
      <TypeMark type={item.media_type} />
      <div>
        <h1>
          <bdi>{item.file_info.filename}</bdi>
        </h1>
        <p className="soft">
          {t.types[item.media_type]} · {bytes(item.file_info.size_bytes)} ·{' '}
          <Link href={`/library?collection=${encodeURIComponent(item.collection)}`}>{item.collection}</Link> ·{' '}
          {t.library.stored} <Time at={item.storage.created_at} />
        </p>
        <Id value={item.media_id} />
      </div>
      <div className="actions">
        <AskAbout mediaId={item.media_id} />
        <Link href={`/similar/${item.media_id}`} className="button">
          {t.similar.action}
        </Link>
        <ItemActions
          items={new Map([[item.media_id, item.file_info.filename]])}
          from={item.collection}
          left={() => navigate(hrefOf('/library'), { state: placeIn('/library') })}
        />
        <CopyAs id="readMedia" input={{ media_id: item.media_id, include_chunks: true }} />
      </div>
    </header>
  )
}
