import type { MedialogError } from '@medialog/client'
import { Question } from '../parts/confirm.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { usd } from '../parts/values.tsx'
import { t } from '../texts/texts.ts'

/** USD: more is given only when one has said so twice. */
const MUCH = 100

export const isMuch = (amount: string): boolean => Number(amount) > MUCH

interface Props {
  /** USD. */
  amount: string
  /** Of the account. */
  name: string
  action: string
  isPending: boolean
  error: MedialogError | null
  give: () => void
  cancel: () => void
}

/** Asks before much credit is given: a digit too many is soon typed. */
export const MuchCredit = ({ amount, name, give, ...question }: Props) => (
  <Dialog title={t.accounts.creditTitle(usd(Number(amount)))} close={question.cancel}>
    <Question {...question} confirm={give}>
      <p>{t.accounts.creditText(name)}</p>
    </Question>
  </Dialog>
)
