import type { PaidId } from '../data/paid-requests.ts'
import { usePaid } from '../data/paid.ts'
import type { InputOf } from '../data/reads.ts'
import { useSession } from '../session/session.ts'
import { Problem } from './problem.tsx'

interface Props<Id extends PaidId> {
  id: Id
  input: InputOf<Id>
  /** With the price, once it is known. */
  label: string
  isPriced: boolean
  className?: string
  /** What showing the answer needs: without it, nothing is sent. */
  needs?: () => Promise<unknown>
}

/** A button that sends a request which costs money: once, however often it is pressed. Beside it why the request failed. */
export function PaidButton<Id extends PaidId>({
  id,
  input,
  label,
  isPriced,
  className = 'button',
  needs,
}: Props<Id>) {
  const { paid } = useSession()
  const state = usePaid(id, input)?.state
  return (
    <>
      <button
        type="button"
        className={className}
        // Not disabled while the request is under way: a disabled button loses the focus.
        disabled={!isPriced}
        aria-disabled={state?.at === 'pending'}
        onClick={() => paid.send(id, input, needs)}
      >
        {label}
      </button>
      <Problem>{state?.at === 'failed' && state.error.message}</Problem>
    </>
  )
}
