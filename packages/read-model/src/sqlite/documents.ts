import type { DatabaseSync } from 'node:sqlite'
import type { PositionedChange } from '@medialog/application/ports'
import type { DecodedEvent } from '@medialog/contract'
import { canonicalJson, type Json } from '@medialog/kernel'
import { kindsOf, reduceInto, type Documents, type Kind, type RecordStore } from '../documents.ts'
import type { ReadModelDefinition } from './definition.ts'
import { quoted } from './document-queries.ts'

const TYPES = { keyword: 'TEXT', long: 'INTEGER' } as const

/** Read models of documents in SQLite: a table for each kind, with the JSON and a column for each declared field. */
export const documentsDefinition = (store: RecordStore): ReadModelDefinition<DecodedEvent> => ({
  name: store.name,
  version: store.version,
  ...(store.replaces && { replaces: store.replaces }),
  schema: kindsOf(store).map(schemaOf).join('\n'),
  digestQueries: new Map(
    store.models.map((model) => [
      model.name,
      model.kinds.map(({ name }) => `SELECT * FROM ${name} ORDER BY id`),
    ]),
  ),
  canonical: ([id, body, ...fields]) => [id!, canonicalJson(JSON.parse(body as string) as Json), ...fields],
  prepare: (database) => prepareEvents(database, store),
})

function schemaOf({ name, fields, indexes }: Kind): string {
  const columns = [...fields].map(([field, type]) => `${quoted(field)} ${TYPES[type]}`)
  return `
    CREATE TABLE ${name} (${['id TEXT PRIMARY KEY', 'body TEXT NOT NULL', ...columns].join(', ')}) STRICT;
    ${indexes.map((by, at) => `CREATE INDEX ${name}_${at} ON ${name} (${by.map(quoted).join(', ')});`).join('\n')}`
}

function prepareEvents(database: DatabaseSync, store: RecordStore) {
  const tables = new Map(kindsOf(store).map((kind) => [kind, prepareTable(database, kind)]))
  return (events: readonly PositionedChange<DecodedEvent>[]): void => {
    const documents = new BatchDocuments(tables)
    for (const { change } of events) reduceInto(store, change, documents)
    documents.write()
  }
}

interface Table {
  read(id: string): object | null
  write(id: string, document: object | null): void
}

function prepareTable(database: DatabaseSync, { name, fields }: Kind): Table {
  const select = database.prepare(`SELECT body FROM ${name} WHERE id = ?`)
  const names = [...fields.keys()]
  const values = ['?', '?', ...names.map(() => '?')].join(', ')
  const put = database.prepare(`INSERT OR REPLACE INTO ${name} VALUES (${values})`)
  const remove = database.prepare(`DELETE FROM ${name} WHERE id = ?`)
  return {
    read(id) {
      const row = select.get(id) as { body: string } | undefined
      return row ? (JSON.parse(row.body) as object) : null
    },
    write(id, document) {
      if (document === null) return void remove.run(id)
      const fieldsOf = document as { readonly [field: string]: string | number | null }
      const columns = names.map((field) => fieldsOf[field] ?? null)
      put.run(id, JSON.stringify(document), ...columns)
    },
  }
}

/** The documents that the events of a batch are about: each is read once and written once. */
class BatchDocuments implements Documents {
  readonly #tables: ReadonlyMap<Kind, Table>
  readonly #known = new Map<Kind, Map<string, object | null>>()
  readonly #changed = new Map<Kind, Set<string>>()

  constructor(tables: ReadonlyMap<Kind, Table>) {
    this.#tables = tables
    for (const kind of tables.keys()) {
      this.#known.set(kind, new Map())
      this.#changed.set(kind, new Set())
    }
  }

  get<D extends object>(kind: Kind<D>, id: string): D | null {
    const known = this.#known.get(kind)!
    if (!known.has(id)) known.set(id, this.#tables.get(kind)!.read(id))
    return known.get(id) as D | null
  }

  put<D extends object>(kind: Kind<D>, id: string, document: D): void {
    this.#set(kind, id, document)
  }

  update<D extends object>(kind: Kind<D>, id: string, change: (before: D | null) => D | null): void {
    const before = this.get(kind, id)
    const after = change(before)
    if (after !== before) this.#set(kind, id, after)
  }

  remove(kind: Kind, id: string): void {
    this.#set(kind, id, null)
  }

  write(): void {
    for (const [kind, ids] of this.#changed)
      for (const id of ids) this.#tables.get(kind)!.write(id, this.#known.get(kind)!.get(id)!)
  }

  #set(kind: Kind, id: string, document: object | null): void {
    this.#known.get(kind)!.set(id, document)
    this.#changed.get(kind)!.add(id)
  }
}
