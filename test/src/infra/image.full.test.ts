import { randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { GenericContainer, getContainerRuntimeClient, Wait, type StartedTestContainer } from 'testcontainers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeWithImage } from '../engines.ts'
import { openAccount } from '../harness/accounts.ts'
import { asAccount, asOperator, type Client } from '../harness/client.ts'
import { expectStatus } from '../harness/expect-status.ts'
import { composeFile } from './folder.ts'

const OPERATOR_TOKEN = 'a-token-for-the-tests'
const MOST_MEGABYTES = 600
const START_MS = 240_000
const FIXTURES = new URL('../../fixtures/', import.meta.url)
/** Folders of samples, one for each family of formats. */
const FAMILIES = [
  '3d',
  'audio',
  'data',
  'documents',
  'images',
  'mail_ebook',
  'presentation',
  'spreadsheet',
  'video',
]

const service = composeFile('compose.embedded.yaml').services['medialog']! as unknown as {
  read_only: boolean
  tmpfs: string[]
  cap_drop: string[]
  security_opt: string[]
}

/** As `compose.embedded.yaml` starts it. */
class AsInCompose extends GenericContainer {
  constructor(image: string, volume: string) {
    super(image)
    this.hostConfig.ReadonlyRootfs = service.read_only
    this.withTmpFs(Object.fromEntries(service.tmpfs.map((mount) => mount.split(':') as [string, string])))
      .withDroppedCapabilities(...service.cap_drop)
      .withSecurityOpt(...service.security_opt)
      .withBindMounts([{ source: volume, target: '/data', mode: 'rw' }])
      .withEnvironment({ MEDIALOG_OPERATOR_TOKEN: OPERATOR_TOKEN })
      .withExposedPorts(8080)
      .withWaitStrategy(Wait.forHttp('/readyz', 8080))
      .withStartupTimeout(START_MS)
  }
}

describeWithImage('the image', (image) => {
  const volume = `medialog-test-${randomUUID()}`
  let container: StartedTestContainer
  const start = async () => {
    container = await new AsInCompose(image, volume).start()
  }
  const url = () => `http://127.0.0.1:${container.getMappedPort(8080)}`
  beforeAll(start, START_MS)
  afterAll(async () => {
    await container.stop()
    const { container: docker } = await getContainerRuntimeClient()
    await docker.dockerode.getVolume(volume).remove()
  }, START_MS)

  /** Every sample of every family, by its file's name. */
  async function samples(): Promise<[string, Buffer][]> {
    const found: [string, Buffer][] = []
    for (const family of FAMILIES)
      for (const name of (await readdir(new URL(`${family}/`, FIXTURES))).toSorted())
        // An .mtl belongs to its .obj.
        if (/^sample[._](?!mtl$)/.test(name))
          found.push([name, await readFile(new URL(`${family}/${name}`, FIXTURES))])
    return found
  }
  const listed = async (client: Client): Promise<string[]> => {
    const { body } = await client.request('GET', '/v1/media?page_size=100')
    return body.data.items
      .map(({ file_info: file }: { file_info: { filename: string } }) => file.filename)
      .sort()
  }

  test(`takes at most ${MOST_MEGABYTES} MB`, async () => {
    const { container: docker } = await getContainerRuntimeClient()
    const { Size } = await docker.dockerode.getImage(image).inspect()
    expect(Size / 1e6).toBeLessThan(MOST_MEGABYTES)
  })

  test('runs as an unprivileged user, writes to its data alone, and confines its parsers', async () => {
    const { output } = await container.exec([
      'sh',
      '-c',
      'id -u; touch /app/made 2>&1; grep CapEff /proc/1/status',
    ])
    expect(output).toMatch(/^10001\n.*Read-only file system\nCapEff:\t0+\n$/)
    const { apiKey } = await openAccount(asOperator(url(), OPERATOR_TOKEN), { name: 'status', credit: 1 })
    const { body } = await asAccount(url(), apiKey).request('GET', '/v1/status')
    expect(body.metadata.sandbox).toMatch(/^Landlock \d+, seccomp$/)
  })

  test('has what runs on Temporal load, without what bundles workflows', async () => {
    const script = "await import('@temporalio/worker'); console.log('loaded')"
    const { output } = await container.exec(['node', '--input-type=module', '-e', script])
    expect(output).toBe('loaded\n')
  })

  test('holds compiled what its start loads, with engines too, and what reads files', async () => {
    for (const script of ['packages/understanding/src/pool/compile.ts', 'infra/image/compile.ts']) {
      const { output } = await container.exec(['node', '--max-semi-space-size=4', script], {
        env: { NODE_DEBUG_NATIVE: 'COMPILE_CACHE' },
      })
      const looked = output.split('\n').filter((line) => line.includes('reading cache from'))
      expect(looked.length, script).toBeGreaterThan(300)
      expect(looked.filter((line) => !line.includes('success'))).toEqual([])
    }
  })

  test(
    'stores every sample of every family, and reads them again after a restart over its volume',
    async () => {
      const { apiKey } = await openAccount(asOperator(url(), OPERATOR_TOKEN), { name: 'files', credit: 10 })
      const files = await samples()
      expect(files.length).toBeGreaterThan(50)
      for (const [name, bytes] of files) expectStatus(await asAccount(url(), apiKey).upload(name, bytes), 200)
      const names = files.map(([name]) => name).toSorted()
      expect(await listed(asAccount(url(), apiKey))).toEqual(names)
      await container.stop({ timeout: 30_000 })
      await start()
      const client = asAccount(url(), apiKey)
      expect(await listed(client)).toEqual(names)
      const json = { query: 'what is said of the sample' }
      expectStatus(await client.request('POST', '/v1/search', { json }), 200)
      expect((await client.request('GET', '/v1/usage')).body.data.account_info.balance).toBeCloseTo(
        10 - 0.04 * files.length,
        9,
      )
    },
    START_MS,
  )
})
