import type { PdfItem, PdfPage, PdfTextItem } from './pdf-document.ts'

/** An annotation as pdf.js returns it, as far as it is used (ISO 32000-2, 12.5 and 12.7). */
interface Annotation {
  subtype?: string
  rect?: number[]
  hidden?: boolean
  noView?: boolean
  password?: boolean
  fieldType?: string
  fieldValue?: unknown
  options?: { exportValue?: unknown; displayValue?: unknown }[]
  /** Lines of its appearance. */
  textContent?: unknown[]
  contentsObj?: { str?: string }
}

/** Of a page: more make reading slow by their square. */
const MOST_ANNOTATIONS = 2_000

/** Values of forms and text that was typed on the page, each behind the words that stand to the left of it, else at the end. */
export async function withAnnotations(page: PdfPage, items: readonly PdfItem[]): Promise<PdfItem[]> {
  const annotations = (await page.getAnnotations().catch(() => [])) as Annotation[]
  const shown = [...items]
  for (const annotation of annotations.slice(0, MOST_ANNOTATIONS)) {
    const text = textOf(annotation).trim()
    if (text === '' || annotation.hidden || annotation.noView) continue
    insert(shown, text, annotation.rect ?? [])
  }
  return shown
}

function textOf({
  subtype,
  password,
  fieldType,
  fieldValue,
  options,
  textContent,
  contentsObj,
}: Annotation): string {
  const lines = (textContent ?? []).map(String).join('\n')
  if (subtype === 'FreeText') return lines || (contentsObj?.str ?? '')
  if (subtype !== 'Widget' || password) return ''
  if (fieldType === 'Tx') return typeof fieldValue === 'string' ? fieldValue : lines
  if (fieldType !== 'Ch') return ''
  const chosen = Array.isArray(fieldValue) ? (fieldValue as unknown[]) : [fieldValue ?? '']
  return chosen
    .map((value) => options?.find(({ exportValue }) => exportValue === value)?.displayValue ?? value)
    .map(String)
    .join(', ')
}

function insert(items: PdfItem[], text: string, [left = 0, bottom = 0, right = 0, top = 0]: number[]): void {
  const beside = items.findLastIndex((item) => {
    if (!('str' in item) || item.str.trim() === '') return false
    const [, , , , x = 0, y = 0] = item.transform as number[]
    return x <= left && y + item.height / 2 >= bottom && y + item.height / 2 <= top
  })
  const label = items[beside] as PdfTextItem | undefined
  const last = items.findLast((item): item is PdfTextItem => 'str' in item)
  const [y, height] = label ? [(label.transform as number[])[5]!, label.height] : [bottom, top - bottom]
  const value: PdfTextItem = {
    str: label ? ` ${text}` : text,
    dir: 'ltr',
    transform: [1, 0, 0, 1, left, y],
    width: right - left,
    height,
    fontName: '',
    hasEOL: label?.hasEOL ?? true,
  }
  if (label) {
    label.hasEOL = false
    items.splice(beside + 1, 0, value)
    return
  }
  if (last) last.hasEOL = true
  items.push(value)
}
