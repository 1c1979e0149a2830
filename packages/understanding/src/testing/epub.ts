import { storedZip } from './zip.ts'

const CONTAINER = '<container><rootfiles><rootfile full-path="a.opf"/></rootfiles></container>'
const PACKAGE =
  '<package><manifest><item id="c" href="c.xhtml"/></manifest><spine><itemref idref="c"/></spine></package>'

/** The smallest EPUB that holds these paragraphs (no `<` or `&` in them), and `parts` besides. */
export const plainEpub = (paragraphs: readonly string[], parts: Record<string, string> = {}): Buffer =>
  storedZip({
    mimetype: 'application/epub+zip',
    'META-INF/container.xml': CONTAINER,
    'a.opf': PACKAGE,
    'c.xhtml': `<html><body>${paragraphs.map((text) => `<p>${text}</p>`).join('')}</body></html>`,
    ...parts,
  })
