/** Digits of a score that are the same whatever computes it. */
export const DIGITS = 3

/** Of how many items any of the lists says that they score next to nothing: rounding may put each on either side of 0. */
export function faintItems(...lists: (readonly { mediaId: string; score: number }[])[]): number {
  const faint = lists.flat().filter(({ score }) => score < 10 ** -DIGITS)
  return new Set(faint.map(({ mediaId }) => mediaId)).size
}
