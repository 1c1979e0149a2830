import { storedZip } from './zip.ts'

const NAMESPACE = 'urn:oasis:names:tc:opendocument:xmlns'
const NAMESPACES = ['office', 'text', 'draw', 'table', 'presentation']
  .map((name) => `xmlns:${name}="${NAMESPACE}:${name}:1.0"`)
  .join(' ')

/** The smallest OpenDocument file with this body, and `parts` besides. */
export const openDocument = (
  kind: 'text' | 'presentation' | 'spreadsheet',
  body: string,
  parts: Record<string, string> = {},
): Buffer =>
  storedZip({
    mimetype: `application/vnd.oasis.opendocument.${kind}`,
    'content.xml': `<office:document-content ${NAMESPACES}><office:body><office:${kind}>${body}</office:${kind}></office:body></office:document-content>`,
    ...parts,
  })

const inParagraphs = (paragraphs: readonly string[]): string =>
  paragraphs.map((text) => `<text:p>${text}</text:p>`).join('')

export const plainOdt = (paragraphs: readonly string[]): Buffer =>
  openDocument('text', inParagraphs(paragraphs))

/** All on one slide: its title is the first of them. */
export const plainOdp = (paragraphs: readonly string[]): Buffer =>
  openDocument('presentation', `<draw:page>${inParagraphs(paragraphs)}</draw:page>`)

/** A manifest as that of a locked document. */
export const LOCKED = {
  'META-INF/manifest.xml':
    '<manifest><file-entry full-path="content.xml"><encryption-data checksum-type="SHA256/1K"/></file-entry></manifest>',
}
