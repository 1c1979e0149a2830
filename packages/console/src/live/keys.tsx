import { useRead } from '../data/reads.ts'
import { Shown } from '../parts/states.tsx'
import { useTitle } from '../parts/title.ts'
import { number } from '../parts/values.tsx'
import { t } from '../texts/texts.ts'

/** What the key that one signed in with may do. */
export function KeyView() {
  useTitle(t.live.key)
  const read = useRead('readStatus', {})
  return (
    <Shown read={read}>
      {({ account: { tier, capabilities, rate_limits } }) => (
        <>
          <dl className="pairs key">
            <div>
              <dt>{t.key.capabilities}</dt>
              <dd>{capabilities.map((capability) => t.key.names[capability]).join(', ')}</dd>
            </div>
            <div>
              <dt>{t.key.tier}</dt>
              <dd>{t.key.tiers[tier]}</dd>
            </div>
            <div>
              <dt>{t.key.limit}</dt>
              <dd>{t.key.left(number(rate_limits.remaining), number(rate_limits.limit))}</dd>
            </div>
          </dl>
          <p className="soft">{t.key.text}</p>
        </>
      )}
    </Shown>
  )
}
