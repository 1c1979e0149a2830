/**
 * How much of each benchmark is done, 1 or less: figures are those of all of it, a hundredth only shows that it works.
 * `MEDIALOG_BENCH_SCALE` in the environment.
 */
export const SCALE = Number(process.env['MEDIALOG_BENCH_SCALE'] ?? 1)
if (!(SCALE > 0 && SCALE <= 1)) throw new RangeError('MEDIALOG_BENCH_SCALE must be above 0 and at most 1')

/** That many at the scale of this run, but at least `least`. */
export const sized = (full: number, least = 1): number => Math.max(least, Math.ceil(full * SCALE))
