import type { Proof } from '@medialog/client'
import { Icon } from '../parts/icons.tsx'
import { number } from '../parts/values.tsx'
import { t } from '../texts/texts.ts'

/** What is proven, a line each: whether it holds, how much was looked at, and every fault that was found. */
export const ProofLines = ({ lines }: { lines: Proof['lines'] }) => (
  <ol className="proof">
    {lines.map(({ name, statement, holds, trouble, checked, fault_count, faults }) => (
      <li key={name} className={holds === null ? 'unknown' : holds ? 'holds' : 'fails'}>
        <Icon name={holds ? 'check' : holds === null ? 'more' : 'close'} />
        <span>
          <span className="visually-hidden">
            {holds === null ? t.proof.unknown : holds ? t.proof.holds : t.proof.fails}{' '}
          </span>
          {statement} <span className="soft small">{t.proof.checked(number(checked))}</span>
          {trouble !== undefined && <span className="problem"> {trouble}</span>}
          {fault_count > 0 && (
            <ul className="plain small problem">
              {faults.map(({ subject, reason }) => (
                <li key={subject + reason}>
                  <code>{subject}</code> {reason}
                </li>
              ))}
            </ul>
          )}
        </span>
      </li>
    ))}
  </ol>
)
