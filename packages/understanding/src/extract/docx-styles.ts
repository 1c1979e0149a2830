import { readXml } from './xml-reader.ts'

/** The properties of a style, with those that it inherits. */
export interface DocxStyle {
  /** 1 to 9 of a heading, else null. */
  level: number | null
  /** Of the document as a whole. */
  isTitle: boolean
  isHidden: boolean
}

interface StatedStyle {
  name: string
  basedOn: string
  level: number | null
  isHidden: boolean | null
}

/** Ends chains of styles that go in a circle. */
const LONGEST_CHAIN = 20

/** The styles by their ids (ECMA-376 part 1, 17.7); none where the part is missing. */
export function readStyles(xml: string | null): ReadonlyMap<string, DocxStyle> {
  const stated = new Map<string, StatedStyle>()
  let style: StatedStyle | null = null
  if (xml !== null)
    readXml(xml, {
      open(name, attributes) {
        const value = attributes['w:val'] ?? ''
        if (name === 'style') {
          style = { name: '', basedOn: '', level: null, isHidden: null }
          stated.set(attributes['w:styleId'] ?? '', style)
        } else if (!style) return
        else if (name === 'name') style.name = value
        else if (name === 'basedOn') style.basedOn = value
        else if (name === 'outlineLvl') style.level = levelOf(value)
        else if (name === 'vanish') style.isHidden = isOn(value)
      },
      close(name) {
        if (name === 'style') style = null
      },
    })
  return new Map([...stated.keys()].map((id) => [id, resolved(stated, id)]))
}

function resolved(stated: ReadonlyMap<string, StatedStyle>, id: string): DocxStyle {
  const style: DocxStyle = { level: null, isTitle: false, isHidden: false }
  let isHidden: boolean | null = null
  let at: string | undefined = id
  for (let length = 0; at !== undefined && length < LONGEST_CHAIN; length++) {
    const one: StatedStyle | undefined = stated.get(at)
    if (!one) break
    style.level ??= one.level ?? headingLevel(one.name)
    style.isTitle ||= /^(?:sub)?title$/i.test(one.name)
    isHidden ??= one.isHidden
    at = one.basedOn || undefined
  }
  return { ...style, isHidden: isHidden ?? false }
}

/** The built-in names are the same in every language. */
function headingLevel(name: string): number | null {
  const [, digit] = /^heading ([1-9])$/i.exec(name) ?? []
  return digit === undefined ? null : Number(digit)
}

/** Of an outline level from 0 on; 9 is that of body text. */
export function levelOf(outline: string): number | null {
  const level = Number(outline)
  return Number.isInteger(level) && level >= 0 && level < 9 ? level + 1 : null
}

/** A property that is there is on, unless it says otherwise (17.17.4). */
export const isOn = (value: string | undefined): boolean => !/^(?:0|false|off)$/.test(value ?? '')
