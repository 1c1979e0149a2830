/**
 * CPU seconds of this process: a guard for slow machines, about twice what the work takes on others. Not by the clock, so
 * that a busy machine sees what an idle one does.
 */
const MOST_CPU_SECONDS = 12

/** How much may be decoded of a file: an amount that is the same everywhere, and beneath it a guard of time. */
export class WorkBudget {
  #left: number
  readonly #started = cpuSeconds()

  constructor(amount: number) {
    this.#left = amount
  }

  spend(amount: number): void {
    this.#left -= amount
  }

  get isSpent(): boolean {
    return this.#left <= 0 || cpuSeconds() - this.#started > MOST_CPU_SECONDS
  }
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}
