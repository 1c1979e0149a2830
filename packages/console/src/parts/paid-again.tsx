import type { PaidRequest } from '../data/paid-requests.ts'
import { useSession } from '../session/session.ts'
import { t } from '../texts/texts.ts'
import { Confirm } from './confirm.tsx'
import { usd } from './values.tsx'

interface Props {
  request: Pick<PaidRequest, 'id' | 'input'>
  label: string
  /** USD; null until it is known. */
  price: number | null
}

/** Sends a request that was answered once more, and pays for it once more. It asks first: the answer may have come between two presses. */
export function PaidAgain({ request: { id, input }, label, price }: Props) {
  const { paid } = useSession()
  if (price === null) return null
  return (
    <Confirm
      action={t.paid.againFor(label, usd(price))}
      className="quiet button"
      title={t.paid.againTitle}
      text={t.paid.againText(usd(price))}
      isPending={false}
      error={null}
      confirm={(done) => {
        done()
        paid.sendAgain(id, input)
      }}
    />
  )
}
