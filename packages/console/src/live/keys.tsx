import { useRead } from '../data/reads.ts'
import { CopyAs } from '../parts/copy-as.tsx'
import { Figure } from '../parts/figure.tsx'
import { KeyLine } from '../parts/key-line.tsx'
import { Shown } from '../parts/states.tsx'
import { useTitle } from '../parts/title.ts'
import { number } from '../parts/values.tsx'
import { t } from '../texts/texts.ts'

/** The account's keys, and what is left of the requests of the one that is used here. */
export function Keys() {
  useTitle(t.live.keys)
  const read = useRead('listOwnKeys', {})
  const status = useRead('readStatus', {})
  return (
    <div className="section">
      <Shown read={read}>
        {({ keys }) => (
          <>
            {status.data && (
              <dl className="figures">
                <Figure name={t.key.tier}>{t.key.tiers[status.data.account.tier]}</Figure>
                <Figure name={t.key.limit}>
                  {t.key.left(
                    number(status.data.account.rate_limits.remaining),
                    number(status.data.account.rate_limits.limit),
                  )}
                </Figure>
              </dl>
            )}
            <ul className="rows keys">
              {keys.map((key) => (
                <KeyLine key={key.key_id} of={key}>
                  {key.is_used && <span className="state succeeded">{t.key.used}</span>}
                </KeyLine>
              ))}
            </ul>
            <p className="soft">{t.key.text}</p>
            <CopyAs id="listOwnKeys" input={{}} />
          </>
        )}
      </Shown>
    </div>
  )
}
