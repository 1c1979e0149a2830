/** A line of a page and its distance from the page's foot in points. */
export type Line = readonly [y: number, text: string]

/** A PDF without tags: Helvetica lines (ASCII) on pages, and an outline of [title, page index, children]. */
export function plainPdf(
  pages: readonly (readonly Line[])[],
  outline: readonly (readonly [string, number])[] = [],
): Buffer {
  const firstPage = 4
  const firstItem = firstPage + 2 * pages.length
  const item = (index: number): string => `${firstItem + index} 0 R`
  const objects = [
    `<< /Type /Catalog /Pages 2 0 R${outline.length > 0 ? ` /Outlines ${item(outline.length)}` : ''} >>`,
    `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((_, i) => `${firstPage + 2 * i} 0 R`).join(' ')}] >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...pages.flatMap((lines, i) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents ${firstPage + 2 * i + 1} 0 R >>`,
      stream(lines.map(([y, text]) => `BT /F1 12 Tf 1 0 0 1 50 ${y} Tm (${text}) Tj ET`).join('\n')),
    ]),
    ...outline.map(([title, page], i) => {
      const next = i + 1 < outline.length ? ` /Next ${item(i + 1)}` : ''
      const previous = i > 0 ? ` /Prev ${item(i - 1)}` : ''
      return `<< /Title (${title}) /Parent ${item(outline.length)} /Dest [${firstPage + 2 * page} 0 R /Fit]${previous}${next} >>`
    }),
    `<< /Type /Outlines /First ${item(0)} /Last ${item(outline.length - 1)} /Count ${outline.length} >>`,
  ]
  return assembled(objects)
}

/** A page of codes, as hexadecimal digits, in a font of East Asia that the file names and does not hold. */
export const namedFontPdf = (encoding: string, ordering: string, codes: string): Buffer =>
  assembled([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 4 0 R >> >> /Contents 7 0 R >>',
    `<< /Type /Font /Subtype /Type0 /BaseFont /Named /Encoding /${encoding} /DescendantFonts [5 0 R] >>`,
    `<< /Type /Font /Subtype /CIDFontType0 /BaseFont /Named /CIDSystemInfo << /Registry (Adobe) /Ordering (${ordering}) /Supplement 2 >> /FontDescriptor 6 0 R >>`,
    '<< /Type /FontDescriptor /FontName /Named /Flags 4 /FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 >>',
    stream(`BT /F1 24 Tf 50 700 Td <${codes}> Tj ET`),
  ])

/** An object with bytes, in Latin-1, and what its dictionary says besides their length. */
export const stream = (body: string, dictionary = ''): string =>
  `<< ${dictionary} /Length ${body.length} >>\nstream\n${body}\nendstream`

/** A file of objects numbered from 1, the first being the catalog. */
export function assembled(objects: readonly string[]): Buffer {
  let body = '%PDF-1.4\n'
  const offsets = objects.map((object, index) => {
    const at = body.length
    body += `${index + 1} 0 obj\n${object}\nendobj\n`
    return at
  })
  const table = offsets.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('')
  const size = objects.length + 1
  const trailer = `trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${body.length}\n%%EOF\n`
  return Buffer.from(`${body}xref\n0 ${size}\n0000000000 65535 f \n${table}${trailer}`, 'latin1')
}
