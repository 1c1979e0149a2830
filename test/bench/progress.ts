const EVERY_MS = 10_000
let last = performance.now()

/** Says how far a long piece of work is, on a line of its own, every ten seconds at most. */
export function progress(what: string, done: number, all: number): void {
  const now = performance.now()
  if (now - last < EVERY_MS) return
  last = now
  const percent = Math.floor((100 * done) / all)
  console.log(`  … ${what}: ${done.toLocaleString('en')} of ${all.toLocaleString('en')} (${percent} %)`)
}
