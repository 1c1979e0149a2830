import type { CatalogChange } from '@medialog/application/ports'

export type Ingested = Extract<CatalogChange, { type: 'PutItem' | 'ReplaceItem' }>

export interface NaiveItem {
  change: Ingested
  collection: string
  generation: number
  createdAt: number
}
