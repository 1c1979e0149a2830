import type { PdfDocument } from './pdf-document.ts'

/** An entry of a PDF's outline: which page it leads to (from 1) and how deep it stands (1 at the top). */
export interface OutlineEntry {
  title: string
  level: number
  page: number
}

const MOST_ENTRIES = 2000
const DEEPEST = 9

type Item = NonNullable<Awaited<ReturnType<PdfDocument['getOutline']>>>[number]

/** The outline in reading order; empty when there is none or it is broken. */
export async function outlineOf(pdf: PdfDocument): Promise<OutlineEntry[]> {
  const entries: OutlineEntry[] = []
  const visit = async (items: Item[], level: number): Promise<void> => {
    for (const item of items) {
      if (entries.length >= MOST_ENTRIES) return
      const page = await pageOf(pdf, item.dest)
      if (page !== null) entries.push({ title: item.title, level, page })
      if (level < DEEPEST) await visit(item.items as Item[], level + 1)
    }
  }
  await visit((await pdf.getOutline().catch(() => null)) ?? [], 1)
  return entries
}

async function pageOf(pdf: PdfDocument, dest: Item['dest']): Promise<number | null> {
  try {
    const [target] = (typeof dest === 'string' ? await pdf.getDestination(dest) : dest) ?? []
    if (typeof target === 'number') return target + 1
    return target ? (await pdf.getPageIndex(target as Parameters<PdfDocument['getPageIndex']>[0])) + 1 : null
  } catch {
    return null
  }
}
