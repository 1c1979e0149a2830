import { readXml } from './xml-reader.ts'

export interface XmlElement {
  name: string
  attributes: Readonly<Record<string, string>>
  children: XmlElement[]
  /** Its own text, that of its children left out. */
  text: string
}

/**
 * The whole of an XML file as a tree, but for elements of the names in `without` and all inside them.
 * @throws UnreadableFile as `readXml`
 */
export function readXmlTree(xml: string, without: ReadonlySet<string>): XmlElement {
  const top: XmlElement = { name: '', attributes: {}, children: [], text: '' }
  const open = [top]
  let skipped = 0
  readXml(xml, {
    open(name, attributes) {
      if (skipped > 0 || without.has(name)) {
        skipped++
        return
      }
      const element: XmlElement = { name, attributes, children: [], text: '' }
      open.at(-1)!.children.push(element)
      open.push(element)
    },
    close() {
      if (skipped > 0) skipped--
      else open.pop()
    },
    text(piece) {
      if (skipped === 0) open.at(-1)!.text += piece
    },
  })
  return top.children[0] ?? top
}

export const childrenOf = (element: XmlElement | undefined, name: string): XmlElement[] =>
  element?.children.filter((child) => child.name === name) ?? []

export const childOf = (element: XmlElement | undefined, name: string): XmlElement | undefined =>
  element?.children.find((child) => child.name === name)

/** All elements of these names, at any depth, in the order of the file. */
export function descendantsOf(element: XmlElement, names: ReadonlySet<string>): XmlElement[] {
  const found: XmlElement[] = []
  const visit = (at: XmlElement): void => {
    for (const child of at.children) {
      if (names.has(child.name)) found.push(child)
      visit(child)
    }
  }
  visit(element)
  return found
}
