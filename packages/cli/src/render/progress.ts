import { bar } from '../terminal/bar.ts'
import { percent } from '../terminal/format.ts'
import type { Look } from '../terminal/look.ts'
import { clean, truncate } from '../terminal/text.ts'

/** The line that follows long work. */
export function renderProgress({ ratio, message }: { ratio: number; message: string }, look: Look): string {
  const room = Math.max(0, look.width - 34)
  return `${look.accent(bar(ratio, 24))}  ${percent(ratio).padStart(5)}  ${look.dim(truncate(clean(message), room))}`
}
