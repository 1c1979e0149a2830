/** So many elements may be drawn by way of references, besides those that stand in the file. */
const MOST_REFERRED = 100_000
/** With more elements a drawing is not drawn. */
const MOST_ELEMENTS = 500_000
/** What cannot be counted, or is more than anyone counts. */
const TOO_MANY = 1e9
const REFERENCE = /url\(\s*["']?\s*#([^)"']+)/gi
const SHAPES = new Set(['path', 'rect', 'circle', 'ellipse', 'line', 'polyline', 'polygon'])
/** The rest of a compound selector may be any: that counts more elements than the rule has, never fewer. */
const SELECTOR = /^[\w\s.#>+~*-]+$/

/**
 * How often what an element refers to is drawn: `once` for the element (what it shows, a mask, a clip path, a filter), for
 * each shape in it (`paint`: fill, stroke), or at each corner of each shape in it (`marker`).
 */
type Kind = 'once' | 'paint' | 'marker'

interface Element {
  name: string
  parent: Element | null
  at: number
  /** The number of the first element behind it. */
  end: number
  /** Names by which rules of style sheets select it: `#id`, `.class`, `path`, `*`. */
  keys: readonly string[]
  /** At most so many corners. */
  corners: number
  references: { kind: Kind; id: string }[]
  /** Elements drawn for each shape in it, and for each corner of a shape, once they are counted. */
  inherited?: { paint: number; marker: number }
  /** Elements drawn for what it refers to, once they are counted. */
  drawn?: number
}

interface Rule {
  references: Record<Kind, Set<string>>
  sums: Partial<Record<Kind, number>>
}

/**
 * Counts what a drawing draws by reference, so that one with exponentially many is refused before it is drawn. It counts no
 * fewer than there are: rules of style sheets count for all elements that their last name fits, and paint for all shapes
 * inside the element that has it.
 */
export class SvgReferences {
  readonly #elements: Element[] = []
  readonly #byId = new Map<string, Element>()
  readonly #rules = new Map<string, Rule>()
  readonly #costs = new Map<string, number>()
  readonly #sheet: string[] = []
  #innermost: Element | null = null
  #count = 0
  #mostCorners = 0
  #isUnclear = false

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    const at = this.#count++
    const { id, class: classes = '', d = '', points = '' } = attributes
    const element: Element = {
      name,
      parent: this.#innermost,
      at,
      end: Infinity,
      keys: [...(id === undefined ? [] : [`#${id}`]), ...classNames(classes), name, '*'],
      corners: 4 + (d.length + points.length) / 2,
      references: [],
    }
    this.#innermost = element
    if (at >= MOST_ELEMENTS) return
    this.#elements.push(element)
    this.#mostCorners = Math.max(this.#mostCorners, element.corners)
    if (id !== undefined && !this.#byId.has(id)) this.#byId.set(id, element)
    for (const [attribute, value] of Object.entries(attributes)) {
      if (attribute === 'style') element.references.push(...this.#declared(value))
      else if (!/(?:^|:)href$/.test(attribute)) element.references.push(...this.#referred(attribute, value))
      else if (value.trim().startsWith('#'))
        element.references.push({ kind: 'once', id: value.trim().slice(1) })
    }
  }

  close(): void {
    this.#innermost!.end = this.#count
    this.#innermost = this.#innermost!.parent
  }

  /** Of a style sheet. */
  text(text: string): void {
    this.#sheet.push(text)
  }

  get endless(): boolean {
    const sheet = this.#sheet.join('')
    // What looks like a comment may be inside quotes, so rules count both ways.
    for (const text of new Set([sheet, sheet.replace(/\/\*[^]*?(?:\*\/|$)/g, '')])) this.#addRules(text)
    return this.#isUnclear || this.#count > MOST_ELEMENTS || this.#within(0, Infinity) > MOST_REFERRED
  }

  #addRules(sheet: string): void {
    const pieces = sheet.split(/([{}])/)
    for (let brace = 1; brace < pieces.length; brace += 2) {
      const references = pieces[brace] === '{' ? this.#declared(pieces[brace + 1]!) : []
      if (references.length === 0) continue
      for (const key of new Set(pieces[brace - 1]!.split(',').map(keyOf))) {
        const rule = this.#rules.get(key) ?? newRule()
        this.#rules.set(key, rule)
        for (const { kind, id } of references) rule.references[kind].add(id)
      }
    }
  }

  #declared(declarations: string): Element['references'] {
    return declarations.split(';').flatMap((declaration) => {
      const colon = declaration.indexOf(':')
      return this.#referred(declaration.slice(0, Math.max(0, colon)), declaration.slice(colon + 1))
    })
  }

  #referred(property: string, value: string): Element['references'] {
    if (!value.includes('(')) return []
    // Escapes can write any reference so that it is not seen here.
    if (value.includes('\\')) this.#isUnclear = true
    return [...value.matchAll(REFERENCE)].map(([, id]) => ({ kind: kindOf(property), id: id!.trim() }))
  }

  /** Elements drawn by reference from elements in this range. */
  #within(start: number, end: number): number {
    let sum = 0
    for (let at = start; at < Math.min(end, this.#elements.length) && sum < TOO_MANY; at++)
      sum += this.#drawnBy(this.#elements[at]!)
    return Math.min(sum, TOO_MANY)
  }

  #drawnBy(element: Element): number {
    return (element.drawn ??= Math.min(TOO_MANY, this.#countDrawn(element)))
  }

  #countDrawn(element: Element): number {
    const once = this.#own(element, 'once')
    if (!SHAPES.has(element.name) && element.name !== 'use') return once
    const { paint, marker } = this.#inherited(element)
    if (element.name !== 'use') return once + paint + marker * element.corners
    // What is shown again is painted as the place where it is shown says.
    return once * (1 + paint + marker * this.#mostCorners)
  }

  #inherited(element: Element): { paint: number; marker: number } {
    if (element.inherited) return element.inherited
    const { paint, marker } = element.parent ? this.#inherited(element.parent) : { paint: 0, marker: 0 }
    element.inherited = {
      paint: Math.min(TOO_MANY, paint + this.#own(element, 'paint')),
      marker: Math.min(TOO_MANY, marker + this.#own(element, 'marker')),
    }
    return element.inherited
  }

  /** Elements drawn for what the element itself, or a rule for it, refers to. */
  #own(element: Element, kind: Kind): number {
    let sum = this.#sumOf(element.references.filter((each) => each.kind === kind).map(({ id }) => id))
    for (const key of element.keys) {
      const rule = this.#rules.get(key)
      if (rule) sum += rule.sums[kind] ??= this.#sumOf([...rule.references[kind]])
    }
    return Math.min(sum, TOO_MANY)
  }

  #sumOf(ids: readonly string[]): number {
    return ids.reduce((sum, id) => sum + this.#cost(id), 0)
  }

  /** Of an element with all in it. What leads back into itself cannot be counted. */
  #cost(id: string): number {
    const known = this.#costs.get(id)
    if (known !== undefined) return known
    const element = this.#byId.get(id)
    if (!element) return 0
    this.#costs.set(id, TOO_MANY)
    const end = Math.min(element.end, this.#count)
    const cost = Math.min(TOO_MANY, end - element.at + this.#within(element.at, end))
    this.#costs.set(id, cost)
    return cost
  }
}

function kindOf(property: string): Kind {
  const name = property.trim().toLowerCase()
  if (/^marker(?:-mid)?$/.test(name)) return 'marker'
  return /^(?:clip-path|mask|filter)$/.test(name) ? 'once' : 'paint'
}

const newRule = (): Rule => ({
  references: { once: new Set(), paint: new Set(), marker: new Set() },
  sums: {},
})

/** By what a rule finds its elements: the most telling of the names that the last part of its selector has. */
function keyOf(selector: string): string {
  if (!SELECTOR.test(selector)) return '*'
  const last = selector
    .trim()
    .split(/[\s>+~]+/)
    .at(-1)!
  return /[#.][\w-]+/.exec(last)?.[0] ?? (/^[\w-]+$/.test(last) ? last : '*')
}

const classNames = (classes: string): string[] =>
  classes.split(/\s+/).flatMap((name) => (name === '' ? [] : [`.${name}`]))
