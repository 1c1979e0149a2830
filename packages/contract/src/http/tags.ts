/** What the reference is divided into, in the order in which a newcomer needs it. */
export const TAGS = {
  Media: 'One file at a time: upload it, list what is stored, read or delete an item.',
  Batches: 'Many files at once: they are processed in the background while the caller goes on.',
  Search: 'Find stored items by words, by meaning, or by likeness.',
  AI: 'Ask about stored items or about a file.',
  Collections: 'Items in named groups: a collection begins with its first item and ends with its last.',
  Account: 'What the service costs and how it is.',
  Events: 'What happens, as it happens.',
  Webhooks: 'The same, sent to you.',
  Operator: 'Accounts, keys, credits and long work, with the operator’s token.',
  Service: 'For probes, scrapers and readers, without a key.',
} as const

export type Tag = keyof typeof TAGS
