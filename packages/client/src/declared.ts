/** What an operation of the contract is sent with. */
export interface Declared {
  method: string
  /** With parameters in braces. */
  path: string
  access: 'read' | 'write' | 'delete' | 'operator' | 'public'
  /** Costs money: done once for an Idempotency-Key. */
  paid?: true
  /** Names of parameters of the query string. */
  query?: readonly string[]
  body?: 'json' | 'form'
  /** Of a list with pages: the field of its entries. */
  entries?: string
}

export type Input = { readonly [name: string]: unknown }
