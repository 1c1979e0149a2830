const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']

/** A bar of exactly `width` columns, filled to `ratio` (0 to 1) in eighths of a column. */
export function bar(ratio: number, width: number): string {
  const eighths = Math.round(Math.min(1, Math.max(0, ratio || 0)) * width * 8)
  const filled = '█'.repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8]
  return filled.padEnd(width, '░')
}
