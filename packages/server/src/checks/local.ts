import { once } from 'node:events'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { readModelFolder } from '@medialog/embedder'
import { openSqliteLogReader, lockToLook } from '@medialog/event-store'
import { findTrainedData, openTranscriber } from '@medialog/understanding'
import { pino } from 'pino'
import { openFormerKey, openPresentKey } from '../checkpoint-key.ts'
import { does, type Config } from '../config.ts'
import { checkFolder, readableStartError } from '../embedded/data-folder.ts'
import { usable } from '../embedded/embedders.ts'
import { foldersIn } from '../embedded/folders.ts'
import { requireFittingLog, requireFittingReadModels, type FittingLog } from '../embedded/log-fits.ts'
import { requireKnownFormat } from '../embedded/migrate-folder.ts'
import { openArtifacts } from '../embedded/storage.ts'
import { listening } from '../listening.ts'
import { openSandbox } from '../sandbox.ts'
import { SECRETS, readSecret } from '../secrets.ts'
import type { Check } from './check.ts'

/** What a start carries out before it writes anything. What a check makes, it removes. */
export function firstChecks(config: Config): Check[] {
  const isAsked = reads(config)
  const keepsFiles = isAsked || does(config, 'projections')
  const signs = does(config, 'api') || does(config, 'projections')
  return [
    portsCheck(config),
    ...(isAsked ? [dataFolderCheck(config)] : []),
    ...(keepsFiles && config.sharedFolder !== null ? [sharedFolderCheck(config.sharedFolder)] : []),
    ...(signs ? [checkpointKeyCheck(config)] : []),
  ]
}

/** What a start finds out as it opens what reads files: doing it twice would take it longer. */
export const readingChecks = (config: Config): Check[] =>
  reads(config)
    ? [picturesCheck(config), speechCheck(config), embeddersCheck(config), sandboxCheck(config)]
    : []

const reads = (config: Config): boolean => does(config, 'api') || does(config, 'worker')

const portsCheck = (config: Config): Check => ({
  name: 'ports',
  mend: 'HOST, PORT, ADMIN_PORT and METRICS_PORT',
  async look() {
    const { host, port, adminPort, metricsPort, heldSockets: held } = config
    const asked = Object.entries({
      ...(does(config, 'api') && {
        PORT: held.http === null ? port : null,
        ADMIN_PORT: held.admin === null ? adminPort : null,
      }),
      METRICS_PORT: metricsPort,
    }).filter((entry): entry is [string, number] => entry[1] !== null)
    for (const [setting, number] of asked) await listening(setting, number, () => tryPort(host, number))
    if (asked.length === 0) return 'the service manager holds the socket'
    return `${host}, ${asked.map(([setting, number]) => `${setting} ${number}`).join(', ')}: free`
  },
})

async function tryPort(host: string, port: number): Promise<void> {
  const server = createServer()
  server.listen(port, host)
  await once(server, 'listening')
  server.close()
  await once(server, 'close')
}

const dataFolderCheck = (config: Config): Check => ({
  name: 'data folder',
  mend: 'MEDIALOG_DATA_DIR',
  async look() {
    const { dataFolder } = config
    if (!checkFolder(dataFolder)) return `${dataFolder} will be made`
    try {
      using held = lockToLook(dataFolder)
      requireKnownFormat(dataFolder)
      for (const name of SECRETS) readSecret(dataFolder, name)
      // Where nothing keeps a service from starting meanwhile, what it needs beside its databases is not removed.
      await (held ? withoutTrace(dataFolder, () => lookAtDatabases(config)) : lookAtDatabases(config))
    } catch (error) {
      throw readableStartError(error, dataFolder)
    }
    return `${dataFolder} can be written to`
  },
})

/** Reading a database may leave files beside it, of a user who is perhaps not the service's. The folder must be locked. */
async function withoutTrace(folder: string, work: () => Promise<void>): Promise<void> {
  const databases = readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.sqlite'))
  const beside = databases.flatMap((name) => ['-shm', '-wal'].map((ending) => join(folder, name + ending)))
  const missing = beside.filter((path) => !existsSync(path))
  try {
    await work()
  } finally {
    for (const path of missing) rmSync(path, { force: true })
  }
}

const NO_LOG: FittingLog = { head: async () => 0, eventAt: async () => null }

/** Those that a start would not make again, and whether they belong together. */
async function lookAtDatabases(config: Config): Promise<void> {
  const { log, leaves, webhooks, artifacts } = foldersIn(config.dataFolder)
  for (const path of [leaves, webhooks].filter(existsSync)) {
    using database = new DatabaseSync(path, { readOnly: true })
    database.exec('PRAGMA schema_version')
  }
  // One on a server is looked at where that is.
  if (config.eventStoreDb !== null) return
  const reader = existsSync(log) ? openSqliteLogReader({ path: log }) : null
  try {
    if (config.bucket !== null || !existsSync(artifacts))
      return await requireFittingReadModels(reader ?? NO_LOG, config, [])
    const stored = { artifacts: await openArtifacts(config), place: artifacts }
    await requireFittingLog(reader ?? NO_LOG, config, stored)
  } finally {
    await reader?.close()
  }
}

const sharedFolderCheck = (folder: string): Check => ({
  name: 'shared folder',
  mend: 'MEDIALOG_SHARED_DIR',
  look: () => (checkFolder(folder, 'shared') ? `${folder} can be written to` : `${folder} will be made`),
})

const checkpointKeyCheck = (config: Config): Check => ({
  name: 'signing key',
  mend: 'MEDIALOG_CHECKPOINT_KEY',
  look() {
    openFormerKey(config)
    if (openPresentKey(config) !== null) return 'it signs checkpoints and receipts'
    return config.roles === null
      ? 'the first start makes one'
      : 'none: without MEDIALOG_CHECKPOINT_KEY no checkpoint is signed, and deletions with a receipt are refused'
  },
})

const picturesCheck = ({ ocrLanguages, ocrDataFolder }: Config): Check => ({
  name: 'pictures',
  mend: 'MEDIALOG_OCR_LANGUAGES and MEDIALOG_OCR_DATA_DIR',
  look() {
    findTrainedData(ocrLanguages, ocrDataFolder)
    return ocrLanguages.length > 0
      ? `their text is read in ${ocrLanguages.join(', ')}`
      : 'their text is not read'
  },
})

const speechCheck = ({ hears, speechFolder }: Config): Check => ({
  name: 'speech',
  mend: 'MEDIALOG_SPEECH',
  async look() {
    if (!hears) return 'it is not written down'
    const transcriber = await usable('MEDIALOG_SPEECH', openTranscriber(speechFolder))
    await transcriber.close()
    return speechFolder ?? 'the model in the box'
  },
})

const embeddersCheck = ({ embedderFolder, formerEmbedderFolder }: Config): Check => ({
  name: 'embedder',
  mend: 'MEDIALOG_EMBEDDER and MEDIALOG_FORMER_EMBEDDER',
  async look() {
    const folders = { MEDIALOG_EMBEDDER: embedderFolder, MEDIALOG_FORMER_EMBEDDER: formerEmbedderFolder }
    for (const [setting, folder] of Object.entries(folders))
      if (folder !== null) await usable(setting, readModelFolder(folder))
    return embedderFolder ?? 'the one in the box'
  },
})

const sandboxCheck = (config: Config): Check => ({
  name: 'sandbox',
  mend: 'MEDIALOG_SANDBOX',
  look: () => openSandbox(config, pino({ level: 'silent' })),
})
