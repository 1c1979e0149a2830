import type { StoreName, Unwiped } from '@medialog/application/ports'

/** Who does what one process is to do, keeps a read model up to date for one, as every process sees it. */
export interface Lease {
  /** Its holder. A process with the same name is the same after a restart, and need not wait. */
  holder: string
  /** One leadership: no two are the same. */
  term: string
  /** Of the process, for people. */
  name: string
  /** Another number at every renewal: whether it still changes is all that tells whether the holder lives. */
  beat: number
  /** Given up, for anybody to take. */
  isReleased: boolean
  /** See ReadModelStatus; of nothing else. */
  error: string | null
  unwiped: Unwiped
}

export const LEASES = 'lease/'
export const leaseOf = (store: StoreName): string => `${LEASES}${store}`

/** Milliseconds, each by the clock of the process that waits, which no other's is ever compared with. */
export interface Timing {
  /** A leader renews its lease that often. */
  renewEvery: number
  /** It steps back when it could not for so long: before another may take its place. */
  stepBackAfter: number
  /** A lease that was seen unchanged for so long is anybody's. */
  takeOverAfter: number
  /** So often others look at it, and the leader for what it is asked. */
  lookEvery: number
  /** A request to the leader fails after so long without a heartbeat. */
  giveUpAfter: number
}

export const TIMING: Timing = {
  renewEvery: 1_500,
  stepBackAfter: 5_000,
  takeOverAfter: 8_000,
  lookEvery: 500,
  giveUpAfter: 60_000,
}
