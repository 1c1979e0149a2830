import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { lockDataFolder } from '@medialog/event-store'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import { foldersIn } from '../embedded/folders.ts'
import type { Role } from '../roles.ts'
import { startService } from '../service.ts'
import { checkAll } from './all.ts'
import { checked, isFine, reportOf } from './report.ts'

let taken: Server
let folder: string
/** What a first start left. */
let used: string

beforeAll(async () => {
  taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  used = mkdtempSync(join(tmpdir(), 'medialog-used-'))
  await (await startService(readConfig({ ...QUIET, MEDIALOG_DATA_DIR: used }))).close()
})
afterAll(() => {
  taken.close()
  rmSync(used, { recursive: true })
})
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'medialog-both-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const QUIET = { PORT: '0', MEDIALOG_LOG_LEVEL: 'silent' }

interface Wrong {
  settings?: Record<string, string> | (() => Record<string, string>)
  roles?: readonly Role[]
  /** What is done to the data folder, of a first start if `isUsed`. */
  prepare?: (dataFolder: string) => void | Disposable
  isUsed?: boolean
}

const file = (name: string, content: string): string => {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}
const overwrite = (pathIn: (dataFolder: string) => string, content: string) => (dataFolder: string) => {
  mkdirSync(dirname(pathIn(dataFolder)), { recursive: true })
  writeFileSync(pathIn(dataFolder), content)
}
const GARBAGE = 'garbage '.repeat(1_000)
const secret = (name: string) => (dataFolder: string) => join(dataFolder, 'secrets', name)
const takenPort = () => String((taken.address() as AddressInfo).port)
const pemOf = (kind: 'rsa') =>
  generateKeyPairSync(kind, { modulusLength: 2048 })
    .privateKey.export({ format: 'pem', type: 'pkcs8' })
    .toString()

const WRONG: Record<string, Wrong> = {
  'a port that is no number': { settings: { PORT: 'many' } },
  'a port above all': { settings: { PORT: '65536' } },
  'a port in use': { settings: () => ({ PORT: takenPort() }) },
  'an admin port in use': { settings: () => ({ ADMIN_PORT: takenPort() }) },
  'a metrics port in use': { settings: () => ({ METRICS_PORT: takenPort() }) },
  'one port twice': { settings: { PORT: '18080', ADMIN_PORT: '18080' } },
  'an impossible host': { settings: { HOST: '203.0.113.7' } },
  'a host that is no name': { settings: { HOST: 'no host' } },
  'a name that no server of names knows': { settings: { HOST: 'medialog.invalid' } },
  'a short operator token': { settings: { MEDIALOG_OPERATOR_TOKEN: 'short' } },
  'an unknown log level': { settings: { MEDIALOG_LOG_LEVEL: 'loud' } },
  'origins with a path': { settings: { MEDIALOG_CORS_ORIGINS: 'https://app.example.com/path' } },
  'limits of an unknown tier': { settings: { MEDIALOG_RATE_LIMITS: 'gold=1' } },
  'a price for what is free': { settings: { MEDIALOG_PRICES: 'BASIC_SEARCH=1' } },
  'a drain without an end': { settings: { MEDIALOG_DRAIN_SECONDS: '601' } },
  'no extractors': { settings: { MEDIALOG_EXTRACTORS: '0' } },
  'a sandbox of another kind': { settings: { MEDIALOG_SANDBOX: 'on' } },
  'a language that is not installed': { settings: { MEDIALOG_OCR_LANGUAGES: 'eng,tlh' } },
  'a word instead of a language': { settings: { MEDIALOG_OCR_LANGUAGES: 'english!' } },
  'an embedder that is not there': { settings: { MEDIALOG_EMBEDDER: '/nowhere/at-all' } },
  'an embedder that is a file': { settings: () => ({ MEDIALOG_EMBEDDER: file('model', 'x') }) },
  'an embedder whose description is garbage': {
    settings() {
      mkdirSync(join(folder, 'model'))
      file('model/embedder.json', '{')
      return { MEDIALOG_EMBEDDER: join(folder, 'model') }
    },
  },
  'a model of speech that is not there': { settings: { MEDIALOG_SPEECH: '/nowhere/at-all' } },
  'a model of speech that is garbage': {
    settings() {
      mkdirSync(join(folder, 'whisper'))
      for (const name of ['encoder.onnx', 'decoder.onnx', 'tokens.bin']) file(`whisper/${name}`, GARBAGE)
      return { MEDIALOG_SPEECH: join(folder, 'whisper') }
    },
  },
  'a former embedder that is not there': { settings: { MEDIALOG_FORMER_EMBEDDER: '/nowhere/at-all' } },
  'two embedders': {
    settings: {
      MEDIALOG_EMBEDDER: '/m',
      MEDIALOG_EMBEDDING_MODEL: 'm',
      MEDIALOG_PROVIDER_URL: 'http://127.0.0.1:1',
    },
  },
  'a signing key that is not there': { settings: { MEDIALOG_CHECKPOINT_KEY: '/nowhere/key.pem' } },
  'a signing key that is garbage': {
    settings: () => ({ MEDIALOG_CHECKPOINT_KEY: file('key.pem', GARBAGE) }),
  },
  'a signing key of another kind': {
    settings: () => ({ MEDIALOG_CHECKPOINT_KEY: file('key.pem', pemOf('rsa')) }),
  },
  'a former signing key that is not there': {
    settings: { MEDIALOG_FORMER_CHECKPOINT_KEY: '/nowhere/key.pem' },
  },
  'a signing key of the folder that is garbage': {
    prepare: overwrite(secret('checkpoint-key.pem'), GARBAGE),
    isUsed: true,
  },
  'an operator token of the folder that is empty': {
    prepare: overwrite(secret('operator-token'), ''),
    isUsed: true,
  },
  'a position key of the folder that is empty': {
    prepare: overwrite(secret('position-key'), ''),
    isUsed: true,
  },
  'a short position key': { settings: { MEDIALOG_POSITION_KEY: 'short' } },
  'a webhook key of the folder that is empty': {
    prepare: overwrite(secret('webhook-key'), '\n'),
    isUsed: true,
  },
  'a data folder below a file': { settings: () => ({ MEDIALOG_DATA_DIR: join(file('a-file', ''), 'data') }) },
  'a data folder that is a file': { settings: () => ({ MEDIALOG_DATA_DIR: file('a-file', '') }) },
  'a data folder that cannot be made': { settings: { MEDIALOG_DATA_DIR: '/proc/medialog' } },
  'a data folder in use': { prepare: (dataFolder) => lockDataFolder(dataFolder), isUsed: true },
  'a data folder of a newer release': {
    prepare: overwrite((at) => join(at, 'format.json'), '{"format":99,"release":"9.9.9"}'),
    isUsed: true,
  },
  'a data folder without a readable format': {
    prepare: overwrite((at) => join(at, 'format.json'), 'null'),
    isUsed: true,
  },
  'a restore that was cut short': {
    prepare: overwrite(
      (at) => join(at, 'format.json'),
      '{"format":1,"release":"0.1.0","unfinished":"restore"}',
    ),
  },
  'a log that is garbage': { prepare: overwrite((at) => foldersIn(at).log, GARBAGE), isUsed: true },
  'a log that is gone': {
    prepare: (at) => rmSync(dirname(foldersIn(at).log), { recursive: true }),
    isUsed: true,
  },
  'leaves that are garbage': { prepare: overwrite((at) => foldersIn(at).leaves, GARBAGE), isUsed: true },
  'webhooks that are garbage': { prepare: overwrite((at) => foldersIn(at).webhooks, GARBAGE), isUsed: true },
  'artifacts that are a file': { prepare: overwrite((at) => foldersIn(at).artifacts, '') },
  'an authority that is not there': {
    settings: { EVENTSTOREDB_URL: 'esdb://127.0.0.1:1', EVENTSTOREDB_TLS_CA_FILE: '/nowhere/ca.pem' },
  },
  'a log on a server that does not answer': {
    settings: { EVENTSTOREDB_URL: 'esdb://127.0.0.1:1?tls=false' },
  },
  'a word instead of the log’s address': { settings: { EVENTSTOREDB_URL: 'here' } },
  'an address of the index without a protocol': { settings: { ELASTICSEARCH_URL: '127.0.0.1:9200' } },
  'brokers without a port': { settings: { KAFKA_BROKERS: '127.0.0.1' } },
  'a bucket without keys': { settings: { S3_URL: 'http://127.0.0.1:1' } },
  'a bucket that does not answer': {
    settings: {
      S3_URL: 'http://127.0.0.1:1',
      S3_BUCKET: 'medialog',
      S3_ACCESS_KEY_ID: 'some-key',
      S3_SECRET_ACCESS_KEY: 'some-secret',
    },
  },
  'a key of webhooks that is short': { settings: { MEDIALOG_WEBHOOK_KEY: 'short' } },
  'a role without its engines': { roles: ['worker'] },
}

/** Each file of the folder, with what is in it that a start could have changed. */
const contentOf = (path: string): string[] => readdirSync(path, { recursive: true }).map(String).sort()

test.each(Object.entries(WRONG))(
  '%s stops the start, and fails the check in the same words',
  async (_, wrong) => {
    const dataFolder = join(folder, 'data')
    if (wrong.isUsed) cpSync(used, dataFolder, { recursive: true })
    using _held = wrong.prepare?.(dataFolder) ?? { [Symbol.dispose]: () => undefined }
    const settings = typeof wrong.settings === 'function' ? wrong.settings() : wrong.settings
    const environment = { ...QUIET, MEDIALOG_DATA_DIR: dataFolder, ...settings }
    const read = () => readConfig(environment, wrong.roles)
    const before = contentOf(folder)

    const checks = await checked(read, checkAll)
    expect(isFine(checks)).toBe(false)
    expect(contentOf(folder)).toEqual(before)

    const refusal = await (async () => startService(read()))().then(
      async (service) => {
        await service.close()
        return 'it started'
      },
      (error: Error) => error.message.split('\n')[0]!,
    )
    const said = checks.filter(({ ok }) => !ok).map(({ detail }) => detail)
    expect(
      said.some((detail) => detail.startsWith(refusal.replace(/[.:]$/, ''))),
      `${refusal}\n${said.join('\n')}`,
    ).toBe(true)
  },
)

test.each([{ NODE_ENV: 'prod' }, { MEDIALOG_RATELIMITS: 'free=1' }])(
  '%j is a warning of both',
  async (settings) => {
    const { warnings } = readConfig(settings)
    expect(warnings).toHaveLength(1)
    const environment = { ...QUIET, MEDIALOG_DATA_DIR: join(folder, 'data'), ...settings }
    const checks = await checked(() => readConfig(environment), checkAll)
    const warning = { name: 'settings', ok: true, warning: true, detail: warnings[0] }
    expect(checks.filter((check) => !check.ok || check.warning)).toEqual([warning])
    expect(isFine(checks)).toBe(true)
    expect(reportOf(checks, false)).toMatch(/^! settings /m)
  },
)

test.each(
  Object.entries({
    Temporal: { TEMPORAL_ADDRESS: '127.0.0.1:1' },
    Kafka: { KAFKA_BROKERS: '127.0.0.1:1' },
    Redis: { REDIS_URL: 'redis://127.0.0.1:1' },
  }),
)('%s that does not answer fails the check, which says that the service starts', async (name, settings) => {
  const environment = { ...QUIET, MEDIALOG_DATA_DIR: join(folder, 'data'), ...settings }
  const checks = await checked(() => readConfig(environment), checkAll)
  const starts = expect.stringContaining('The service starts without it') as string
  expect(checks.filter(({ ok }) => !ok)).toEqual([{ name, ok: false, detail: starts }])
  const service = await startService(readConfig(environment))
  await service.close()
})
