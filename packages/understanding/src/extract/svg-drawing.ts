import { SvgReferences } from './svg-references.ts'
import type { SvgSize } from './svg-size.ts'

/** Neither drawn nor kept: scripts, pages inside a drawing, words, and what only speaks of it. */
const LEFT_OUT = new Set(
  'script foreignObject text title desc metadata font font-face iframe audio video a11y handler listener'.split(
    ' ',
  ),
)
/** A place in the drawing itself. */
const INSIDE = /^\s*#/
const EMBEDDED_PICTURE = /^\s*data:image\/(?:png|jpe?g|gif|webp)[;,]/i

/** A copy of a drawing that is safe to draw, so many pixels wide or high. */
export class SvgDrawing {
  readonly size: SvgSize
  readonly #side: number
  readonly #parts: string[] = []
  readonly #references = new SvgReferences()
  #skipped = 0
  #depth = 0
  #style = false

  constructor(size: SvgSize, side: number) {
    this.size = size
    this.#side = side
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    const root = this.#depth++ === 0
    if (this.#skipped > 0 || LEFT_OUT.has(name)) {
      this.#skipped++
      return
    }
    this.#style = name === 'style'
    this.#references.open(name, attributes)
    const kept = Object.entries(attributes).flatMap(([key, value]) => attributeKept(key, value))
    if (root) {
      const own = kept.filter((text) => !/^ (?:width|height|viewBox|xmlns(?::xlink)?)=/.test(text))
      this.#parts.push(`<svg${this.#frame()}${own.join('')}>`)
    } else this.#parts.push(`<${name}${kept.join('')}>`)
  }

  close(name: string): void {
    this.#depth--
    this.#style = false
    if (this.#skipped > 0) {
      this.#skipped--
      return
    }
    this.#references.close()
    this.#parts.push(`</${name}>`)
  }

  /** Whether it takes so long to draw that it is not tried: elements may refer to each other again and again. */
  get endless(): boolean {
    return this.#references.endless
  }

  /** Only style sheets hold text that is drawn by. */
  text(text: string): void {
    if (this.#skipped > 0 || !this.#style) return
    this.#parts.push(escapeXml(text))
    this.#references.text(text)
  }

  toString(): string {
    return withoutLinks(this.#parts.join(''))
  }

  #frame(): string {
    const { width, height, viewBox } = this.size
    const scale = this.#side / Math.max(width, height)
    const [across, down] = [Math.max(1, width * scale), Math.max(1, height * scale)]
    const spaces = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
    return ` ${spaces} width="${across}" height="${down}" viewBox="${escapeXml(viewBox)}"`
  }
}

/** Names with a prefix are dropped, as its declaration is; links stay where they lead into the file itself. */
function attributeKept(key: string, value: string): string[] {
  const name = key.slice(key.indexOf(':') + 1)
  if (key.startsWith('xmlns') || /^on/i.test(name) || !/^[\w.-]+$/.test(name)) return []
  if (key.includes(':') && name !== 'href') return []
  if (name === 'href' && !INSIDE.test(value) && !EMBEDDED_PICTURE.test(value)) return []
  return [` ${key === name ? name : 'xlink:href'}="${escapeXml(value)}"`]
}

/** `url(…)` to anywhere but the file itself, and style sheets elsewhere. */
const withoutLinks = (svg: string): string =>
  svg.replace(/url\(\s*(?!(?:["']|&quot;)?\s*#)[^)]*\)?/gi, 'none').replace(/@import[^;<]*;?/gi, '')

const ESCAPES: ReadonlyMap<string, string> = new Map(
  Object.entries({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }),
)

const escapeXml = (text: string): string => text.replace(/[&<>"]/g, (sign) => ESCAPES.get(sign)!)
