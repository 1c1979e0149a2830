/** How long the work takes. */
export async function milliseconds(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}

/** How often a second `clients` at once do the work, `count` times in all. `at` counts from 0. */
export async function rateOf(
  clients: number,
  count: number,
  work: (at: number) => Promise<unknown>,
): Promise<number> {
  let next = 0
  const client = async (): Promise<void> => {
    while (next < count) await work(next++)
  }
  const taken = await milliseconds(() => Promise.all(Array.from({ length: clients }, client)))
  return (count * 1_000) / taken
}
