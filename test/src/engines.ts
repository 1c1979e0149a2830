import { describe } from 'vitest'

/** Servers that suites run against, and scripts that start them, where the environment names them. */
export const ENGINES = {
  eventstoredb: { name: 'EventStoreDB', variable: 'EVENTSTOREDB_URL' },
  temporal: { name: 'Temporal', variable: 'TEMPORAL_ADDRESS' },
  elasticsearch: { name: 'Elasticsearch', variable: 'ELASTICSEARCH_URL' },
  kafka: { name: 'Kafka', variable: 'KAFKA_BROKERS' },
  own: { name: 'engines of its own, to be killed', variable: 'ENGINES_SCRIPTS' },
  s3: { name: 'S3', variable: 'S3_URL' },
  redis: { name: 'Redis', variable: 'REDIS_URL' },
} as const
export type EngineId = keyof typeof ENGINES

/** Those whose absence fails the run under `ENGINES=required`. */
const REQUIRED: readonly EngineId[] = ['temporal', 'elasticsearch', 'kafka', 'own']

/** Where the engine is, or null where none was named. */
export const engineAddress = (id: EngineId): string | null => process.env[ENGINES[id].variable] || null

/** A suite against a real server: left out, and named at the run's end, where there is none. */
export function describeWithEngine(
  id: EngineId,
  title: string,
  suite: (address: string) => void | Promise<void>,
): void {
  const address = engineAddress(id)
  // oxlint-disable-next-line vitest/valid-title -- the caller's title
  describe.skipIf(address === null)(title, async () => {
    // The runner calls a suite that is left out, too.
    if (address !== null) await suite(address)
  })
}

/** Those that several processes share, beside the log, which tests serve themselves. */
const SHARED: readonly EngineId[] = ['temporal', 'elasticsearch', 'kafka']

/** A suite of several processes: left out where one of the engines that they share has no address. */
export function describeProcesses(title: string, suite: () => void): void {
  // oxlint-disable-next-line vitest/valid-title, vitest/valid-describe-callback -- the caller's
  describe.skipIf(SHARED.some((id) => engineAddress(id) === null))(title, suite)
}

/** Of the project itself, built: its name in Docker. */
const IMAGE = { name: 'the image, in Docker', variable: 'MEDIALOG_IMAGE' } as const

/** A suite of containers of the image: left out, and named at the run's end, where none was built. */
export function describeWithImage(title: string, suite: (image: string) => void): void {
  const image = process.env[IMAGE.variable]
  // oxlint-disable-next-line vitest/valid-title -- the caller's title
  describe.skipIf(!image)(title, () => {
    // The runner calls a suite that is left out, too.
    if (image) suite(image)
  })
}

/** Engines that no suite runs against, as the end of a run says it. */
export const notExercised = (): string[] =>
  [...Object.values(ENGINES), IMAGE]
    .filter(({ variable }) => !process.env[variable])
    .map(({ name, variable }) => `${name} (${variable})`)

/** @throws where `ENGINES=required` and one of them has no address */
export function requireEngines(): void {
  if (process.env['ENGINES'] !== 'required') return
  const missing = REQUIRED.filter((id) => engineAddress(id) === null)
  if (missing.length === 0) return
  const variables = missing.map((id) => `${ENGINES[id].variable} for ${ENGINES[id].name}`)
  throw new Error(`ENGINES=required, and these are not set: ${variables.join(', ')}.`)
}
