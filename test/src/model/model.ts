/** What the service is to hold of one account, kept in the plainest way. Amounts are nano-USD. */
export interface AccountModel {
  balance: number
  /** Names of items, each with its collection. */
  items: Map<string, string>
}

export const PRICE = 40_000_000

/** What a request is to be answered, and what it leaves. `status` of a batch is that of its creation. */
export interface Outcome {
  status: number
  next: AccountModel
}

const changed = (
  { balance, items }: AccountModel,
  change: (items: Map<string, string>) => void,
  spent = 0,
): AccountModel => {
  const copy = new Map(items)
  change(copy)
  return { balance: balance - spent, items: copy }
}

export function upload(
  account: AccountModel,
  { name, collection, overwrite }: { name: string; collection: string | null; overwrite: boolean },
): Outcome {
  const place = account.items.get(name)
  if (place !== undefined && !overwrite) return { status: 409, next: account }
  if (isBroken(name)) return { status: 400, next: account }
  return {
    status: 200,
    next: changed(account, (items) => items.set(name, collection ?? place ?? 'default'), PRICE),
  }
}

/** Files that cannot be read. */
export const isBroken = (name: string): boolean => name.startsWith('broken')

/** Each file that is new comes in and is paid for; one that is there, or cannot be read, costs nothing. */
export function batch(
  account: AccountModel,
  { names, collection }: { names: readonly string[]; collection: string | null },
): Outcome {
  const fresh = [...new Set(names)].filter((name) => !account.items.has(name) && !isBroken(name))
  return {
    status: 200,
    next: changed(
      account,
      (items) => {
        for (const name of fresh) items.set(name, collection ?? 'default')
      },
      fresh.length * PRICE,
    ),
  }
}

/** All of them or none. */
export function move(
  account: AccountModel,
  { names, collection }: { names: readonly string[]; collection: string },
): Outcome {
  if (!names.every((name) => account.items.has(name))) return { status: 404, next: account }
  return {
    status: 200,
    next: changed(account, (items) => {
      for (const name of names) items.set(name, collection)
    }),
  }
}

export function remove(account: AccountModel, name: string): Outcome {
  if (!account.items.has(name)) return { status: 404, next: account }
  return { status: 200, next: changed(account, (items) => items.delete(name)) }
}

export function removeCollection(account: AccountModel, collection: string): Outcome {
  const names = [...account.items].filter(([, place]) => place === collection).map(([name]) => name)
  if (names.length === 0) return { status: 404, next: account }
  return {
    status: 200,
    next: changed(account, (items) => {
      for (const name of names) items.delete(name)
    }),
  }
}

/** What a search is to find. */
export interface Found {
  total: number
  names: string[]
}

/** What an account's lists, counts and searches show; `balance` is against its first credit. */
export interface Observed {
  balance: number
  items: { [name: string]: string }
  total: number
  collections: { [collection: string]: number }
  /** By collection. */
  found: { [collection: string]: Found }
  foundInAll: Found
}

export function observable({ balance, items }: AccountModel): Observed {
  const collections: Observed['collections'] = { default: 0 }
  for (const place of items.values()) collections[place] = (collections[place] ?? 0) + 1
  const foundIn = (collection: string | null): Found => {
    const names = [...items].filter(([, place]) => collection === null || place === collection)
    return { total: names.length, names: inOrder(names.map(([name]) => name)) }
  }
  return {
    balance,
    items: Object.fromEntries(items),
    total: items.size,
    collections,
    found: Object.fromEntries(
      Object.keys(collections).map((collection) => [collection, foundIn(collection)]),
    ),
    foundInAll: foundIn(null),
  }
}

/** The order of search is its own. */
export const inOrder = (names: readonly string[]): string[] => names.toSorted((a, b) => (a < b ? -1 : 1))
