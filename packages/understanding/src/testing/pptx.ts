import { storedZip } from './zip.ts'

const TYPE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

/** A presentation of slides, each the XML inside its shape tree, and other parts; shown from the last part to the first. */
export function plainPptx(slides: readonly string[], parts: Record<string, string> = {}): Buffer {
  const numbers = slides.map((_, index) => index + 1)
  const ids = numbers.map((number) => `<p:sldId r:id="r${number}"/>`).toReversed()
  const relationships = numbers.map(
    (number) => `<Relationship Id="r${number}" Type="${TYPE}/slide" Target="slides/slide${number}.xml"/>`,
  )
  return storedZip({
    'ppt/presentation.xml': `<p:presentation><p:sldIdLst>${ids.join('')}</p:sldIdLst></p:presentation>`,
    'ppt/_rels/presentation.xml.rels': `<Relationships>${relationships.join('')}</Relationships>`,
    ...Object.fromEntries(
      slides.map((xml, index) => [
        `ppt/slides/slide${index + 1}.xml`,
        `<p:sld><p:spTree>${xml}</p:spTree></p:sld>`,
      ]),
    ),
    ...parts,
  })
}

/** A shape, e.g. of the placeholder `title`. */
export const shape = (paragraphs: readonly string[], placeholder?: string): string =>
  `<p:sp>${placeholder ? `<p:ph type="${placeholder}"/>` : ''}${paragraphs
    .map((text) => `<a:p><a:r><a:t>${text}</a:t></a:r></a:p>`)
    .join('')}</p:sp>`
