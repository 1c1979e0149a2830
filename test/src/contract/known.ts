/** Fields that name the same thing under other names. */
const SAME: { readonly [name: string]: string } = {
  id: 'media_id',
  media_ids: 'media_id',
  items: 'media_id',
  collection: 'collection_id',
  collections: 'collection_id',
}
const KEPT = 50

/** Ids of what exists, by the name of the field: gathered from answers, so that requests hit what is there. */
export class Known {
  private readonly byName = new Map<string, string[]>()
  private readonly hidden: ReadonlySet<string>

  /** `hidden` is never named in a request: what the requests themselves stand on. */
  constructor(hidden: Iterable<string>) {
    this.hidden = new Set(hidden)
  }

  has(name: string): boolean {
    return this.idsOf(name).length > 0
  }

  one(name: string, number: number): string {
    const ids = this.idsOf(name)
    return ids[number % ids.length]!
  }

  gather(value: unknown, name = ''): void {
    if (Array.isArray(value)) for (const entry of value) this.gather(entry, name)
    else if (typeof value === 'object' && value !== null)
      for (const [field, inner] of Object.entries(value)) this.gather(inner, field)
    else if (typeof value === 'string' && (name.endsWith('_id') || name in SAME)) this.add(name, value)
  }

  private add(name: string, id: string): void {
    const ids = this.idsOf(name)
    if (this.hidden.has(id) || ids.includes(id)) return
    ids.push(id)
    if (ids.length > KEPT) ids.shift()
  }

  private idsOf(name: string): string[] {
    const own = SAME[name] ?? name
    const ids = this.byName.get(own) ?? []
    this.byName.set(own, ids)
    return ids
  }
}
