import { join } from 'node:path'

/** Where each embedded engine keeps what it has in the data folder. */
export const foldersIn = (dataFolder: string) => ({
  log: join(dataFolder, 'log', 'events.sqlite'),
  leaves: join(dataFolder, 'audit', 'leaves.sqlite'),
  webhooks: join(dataFolder, 'webhooks', 'deliveries.sqlite'),
  artifacts: join(dataFolder, 'artifacts'),
  staging: join(dataFolder, 'staging'),
  holders: join(dataFolder, 'holders'),
  answers: join(dataFolder, 'answers'),
  providerTokens: join(dataFolder, 'provider-tokens.json'),
  readModels: join(dataFolder, 'read-models'),
  erased: join(dataFolder, 'read-models', 'erased.sqlite'),
})
