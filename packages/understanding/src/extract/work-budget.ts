/** Half of what a file may take by default: a guard for machines that are slow or busy. */
const MOST_MILLISECONDS = 15_000

/** How much may be decoded of a file: an amount that is the same everywhere, and beneath it a guard of time. */
export class WorkBudget {
  #left: number
  readonly #started = performance.now()

  constructor(amount: number) {
    this.#left = amount
  }

  spend(amount: number): void {
    this.#left -= amount
  }

  get isSpent(): boolean {
    return this.#left <= 0 || performance.now() - this.#started > MOST_MILLISECONDS
  }
}
