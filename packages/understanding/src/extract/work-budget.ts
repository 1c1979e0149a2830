/**
 * CPU seconds of this process: a guard for slow machines, about twice what the work takes on others. Not by the clock, so
 * that a busy machine sees what an idle one does.
 */
const MOST_CPU_SECONDS = 12

/** How much may be decoded of a file: an amount that is the same everywhere, and beneath it a guard of time, for each purpose. */
export class WorkBudget {
  #left: number
  readonly #mostSeconds: number
  readonly #started = cpuSeconds()

  constructor(amount: number, purposes = 1) {
    this.#left = amount
    this.#mostSeconds = purposes * MOST_CPU_SECONDS
  }

  spend(amount: number): void {
    this.#left -= amount
  }

  get isSpent(): boolean {
    return this.#left <= 0 || cpuSeconds() - this.#started > this.#mostSeconds
  }
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}
