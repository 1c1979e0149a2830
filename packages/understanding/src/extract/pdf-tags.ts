/** What a page's tags (ISO 32000-1, 14.8) say, by block element in reading order. */
export interface Tagged {
  /** From the id of marked content to the block element it belongs to. */
  elementOf: Map<string, number>
  /** Levels of the elements that are headings. */
  headings: Map<number, number>
  tables: Map<number, { rows: number; columns: number }>
  figures: number
}

interface Node {
  role?: string
  type?: string
  id?: string
  children?: Node[]
}

const INLINE = new Set([
  'Span',
  'Link',
  'Reference',
  'Note',
  'Quote',
  'Code',
  'Em',
  'Strong',
  'Annot',
  'Lbl',
  'LBody',
])

export function readTags(tree: Node | null): Tagged {
  const tagged: Tagged = { elementOf: new Map(), headings: new Map(), tables: new Map(), figures: 0 }
  if (tree) visit(tree, null, { count: 0 }, tagged)
  return tagged
}

/** `owner` is the block element that content met here belongs to. */
function visit(node: Node, owner: number | null, elements: { count: number }, tagged: Tagged): void {
  if (node.type === 'content') {
    if (node.id !== undefined && owner !== null) tagged.elementOf.set(node.id, owner)
    return
  }
  const inTable = owner !== null && tagged.tables.has(owner)
  let own = owner
  if (node.role === 'Figure') tagged.figures++
  if (!inTable && node.role && !INLINE.has(node.role)) {
    own = elements.count++
    if (/^(H[1-6]?|Title)$/.test(node.role)) noteHeading(node.role, own, tagged)
    if (node.role === 'Table') tagged.tables.set(own, sizeOf(node))
  }
  for (const child of node.children ?? []) visit(child, own, elements, tagged)
}

function noteHeading(role: string, element: number, tagged: Tagged): void {
  if (role !== 'Title') tagged.headings.set(element, Number(role[1] ?? 1))
}

function sizeOf(table: Node): { rows: number; columns: number } {
  const rows = descendants(table, ['TR'])
  const columns = rows.map((row) => descendants(row, ['TH', 'TD']).length)
  return { rows: rows.length, columns: Math.max(0, ...columns) }
}

function descendants(node: Node, roles: readonly string[]): Node[] {
  return (node.children ?? []).flatMap((child) =>
    child.role && roles.includes(child.role) ? [child] : descendants(child, roles),
  )
}
