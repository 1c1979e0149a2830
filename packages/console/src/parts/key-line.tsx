import type { Key } from '@medialog/client'
import type { ReactNode } from 'react'
import { t } from '../texts/texts.ts'
import { Time } from './values.tsx'

/** A key in a list of keys. `children`: what can be done with it unless it is revoked. */
export const KeyLine = ({ of, children }: { of: Key; children?: ReactNode }) => (
  <li className="row">
    <span className="what">
      <bdi className="filename">{of.label || of.key_id}</bdi>
      <span className="soft small">
        <code>{of.key_id}</code> · {of.capabilities.map((each) => t.key.names[each]).join(', ')} ·{' '}
        <Time at={of.created_at} />
        {of.expires_at !== null && (
          <>
            {' '}
            · {t.key.expires} <Time at={of.expires_at} />
          </>
        )}
      </span>
    </span>
    {of.revoked ? <span className="state failed">{t.keys.revoked}</span> : children}
  </li>
)
