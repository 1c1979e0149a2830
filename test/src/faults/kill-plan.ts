/** When a server is to die. */
export interface KillPlan {
  /** At which of its awaited calls: 1 is the first from when it is armed. */
  at: number
  /** Whether before that call does its work or after it did. */
  when: 'before' | 'after'
}

/** The file that tells the server on a data folder. */
export const killPlanOf = (dataFolder: string): string => `${dataFolder}.kill-plan`
