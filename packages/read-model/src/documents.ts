import type { ReadModelName, StoreName } from '@medialog/application/ports'
import type { DecodedEvent } from '@medialog/contract'
import type { Category } from '@medialog/domain'
import type { LogPosition } from '@medialog/kernel'

/** `keyword`: text that is compared as a whole. `long`: an integer of at most 53 bits. */
export type FieldType = 'keyword' | 'long'
export type Field<D> = keyof D & string

/** A kind of document: its name, and the fields that queries filter and sort by. Documents are JSON. */
export interface Kind<D extends object = object> {
  readonly name: string
  readonly fields: ReadonlyMap<string, FieldType>
  readonly indexes: readonly (readonly string[])[]
  readonly isWrittenLast: boolean
  /** For the compiler alone. */
  readonly document?: D
}

interface KindOptions<D> {
  fields: { readonly [F in Field<D>]?: FieldType }
  /** Fields that a query uses together, in this order: one SQLite index each. */
  indexes?: readonly (readonly Field<D>[])[]
  /**
   * Reducers compute other documents from this kind, and put those within its `update`. An engine without transactions
   * writes it after all other kinds: a document of this kind that has landed proves that what was computed from it has.
   */
  isWrittenLast?: boolean
}

export const kindOf = <D extends object>(
  name: string,
  { fields, indexes = [], isWrittenLast = false }: KindOptions<D>,
): Kind<D> => ({
  name,
  fields: new Map(Object.entries(fields) as [string, FieldType][]),
  indexes,
  isWrittenLast,
})

/**
 * The documents as the events before this one left them. Documents are never changed in place: a reducer puts another.
 * After a write that was cut off, events are reduced again: a document that has seen an event is not changed by it again.
 */
export interface Documents {
  /** Of a kind whose documents are put once: others may have seen the event and later ones already. */
  get<D extends object>(kind: Kind<D>, id: string): D | null
  put<D extends object>(kind: Kind<D>, id: string, document: D): void
  /** Puts what `change` makes of the document, null for no document. Not called where the document has seen the event. */
  update<D extends object>(kind: Kind<D>, id: string, change: (before: D | null) => D | null): void
  remove(kind: Kind, id: string): void
}

/** A reducer is synchronous and pure: it decides by the event and by documents alone. */
type Reducers = { readonly [C in Category]?: (decoded: DecodedEvent<C>, documents: Documents) => void }

/** A read model made of documents. */
export interface RecordModel {
  name: ReadModelName
  kinds: readonly Kind[]
  /** By the category of the events that it is made of. */
  reducers: Reducers
}

/** Read models that are stored together. */
export interface RecordStore {
  name: StoreName
  /** Raised whenever documents or a reducer change: what an earlier version wrote is rebuilt, never altered. */
  version: number
  models: readonly RecordModel[]
  /** Stores of former releases that it takes the place of: they are removed. */
  replaces?: readonly string[]
}

export const kindsOf = ({ models }: RecordStore): readonly Kind[] => models.flatMap(({ kinds }) => kinds)

/** Tells an event to the read models that are made of its category. */
export function reduceInto<C extends Category>(
  { models }: RecordStore,
  event: DecodedEvent<C>,
  documents: Documents,
): void {
  for (const { reducers } of models) reducers[event.category]?.(event, documents)
}

export interface Range {
  gt?: number
  gte?: number
  lt?: number
  lte?: number
}
/** `in`: one of these; `notIn`: none of these, or without the field. Null: without the field. */
export type Condition =
  | string
  | number
  | null
  | { in: readonly string[] }
  | { notIn: readonly string[] }
  | Range
/** Every condition holds. Declared fields only. */
export type Where<F extends string> = { readonly [K in F]?: Condition }
export type Sort<F extends string> = readonly (readonly [F, 'asc' | 'desc'])[]

export const backwards = <F extends string>(sort: Sort<F>): Sort<F> =>
  sort.map(([field, way]) => [field, way === 'asc' ? 'desc' : 'asc'])

export interface Found<F extends string> {
  where: Where<F>
  /** By declared fields that order any two documents. */
  sort: Sort<F>
}

/** `after`: those behind a document that has these values of the fields of `sort`, which then all have one direction. */
export interface FindOptions<F extends string> extends Found<F> {
  limit?: number
  after?: readonly number[]
}

/** The last of each interval of `step` in which the number field has values within the range. */
export interface LastOptions<F extends string> extends Found<F> {
  by: F
  within: { gte: number; lt: number }
  step: number
}

export interface GroupOptions<F extends string, By extends F> {
  where: Where<F>
  by: readonly By[]
  /** Of the documents that have these fields. */
  sum?: F
  max?: F
}

/** Documents that have the same values in these fields: how many, and what one of their numbers comes to. */
export interface Group<D, F extends Field<D>> {
  key: Pick<D, F>
  count: number
  /** 0 of none. */
  sum: number
  /** Null of none. */
  max: number | null
}

/** Reads documents. All declared fields of a `where` and a `sort` are answered from an index. */
export interface DocumentQueries {
  /** As it was written last, also where searches do not show it yet. */
  get<D extends object>(kind: Kind<D>, id: string): Promise<D | null>
  /** All that are found, or the first of them. */
  find<D extends object>(kind: Kind<D>, options: FindOptions<Field<D>>): Promise<D[]>
  /** All that each of several searches finds, in one moment where the engine has such. */
  findAll(searches: readonly { kind: Kind; found: Found<string> }[]): Promise<object[][]>
  /** By `sort`, in its order. */
  lastOfEach<D extends object>(kind: Kind<D>, options: LastOptions<Field<D>>): Promise<D[]>
  /** `offset` and `limit` count documents; `total`: all that are found. */
  page<D extends object>(
    kind: Kind<D>,
    found: Found<Field<D>>,
    page: { offset: number; limit: number },
  ): Promise<{ documents: D[]; total: number }>
  count<D extends object>(kind: Kind<D>, where: Where<Field<D>>): Promise<number>
  /** In the order of the fields' values. */
  group<D extends object, By extends Field<D>>(
    kind: Kind<D>,
    options: GroupOptions<Field<D>, By>,
  ): Promise<Group<D, By>[]>
  position(): Promise<LogPosition>
}
