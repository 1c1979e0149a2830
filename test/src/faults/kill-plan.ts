/** When a server is to die. */
export interface KillPlan {
  /** At which of its awaited calls: 1 is the first from when it is armed. */
  at: number
  /** Whether before that call does its work or after it did. */
  when: 'before' | 'after'
  /** Only calls of that name count: a method's, or the type of an event that is appended. */
  of?: string
}

/** The file that tells the server on a data folder. */
export const killPlanOf = (dataFolder: string): string => `${dataFolder}.kill-plan`
