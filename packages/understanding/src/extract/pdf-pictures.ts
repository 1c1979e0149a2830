import type { Drawn } from './pdf-page-picture.ts'

/** pdf.js's numbers for painting a picture: paintImageXObject, paintInlineImageXObject (its OPS table). */
const PAINTS_PICTURE = new Set([85, 86])
/** Drawing up a page decodes its pictures, so only so many pages are. */
export const PAGES_DRAWN = 20

/** How many different pictures a page shows. */
export function countPictures({ fnArray, argsArray }: Drawn): number {
  const shown = new Set<unknown>()
  for (const [index, operator] of fnArray.entries()) {
    if (!PAINTS_PICTURE.has(operator)) continue
    const [name] = (argsArray[index] ?? []) as unknown[]
    shown.add(typeof name === 'string' ? name : index)
  }
  return shown.size
}
