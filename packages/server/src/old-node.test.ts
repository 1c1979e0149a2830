import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const run = promisify(execFile)
/** What an older Node says of itself, on a machine of that kind. */
const older = (arch: string): string =>
  `data:text/javascript,Object.defineProperty(process, 'versions', { value: { node: '20.20.2' } });Object.defineProperty(process, 'arch', { value: '${arch}' })`
const started = (entry: string, arch: string, ...words: string[]) => {
  const path = new URL(`../../../${entry}`, import.meta.url).pathname
  return run(process.execPath, ['--import', older(arch), path, ...words]).catch((error: unknown) => error)
}

test('under an older Node the one that is installed goes on, with its output and its exit code', async () => {
  expect(await started('packages/cli/medialog.mjs', process.arch, 'help')).toMatchObject({
    stdout: expect.stringMatching(/^Usage: medialog/),
    stderr: '',
  })
  expect(await started('packages/cli/medialog.mjs', process.arch, 'nonsense')).toMatchObject({ code: 2 })
  expect(await started('packages/server/start.mjs', process.arch, '--help')).toMatchObject({ stderr: '' })
})

test.each(['packages/server/start.mjs', 'packages/cli/medialog.mjs'])(
  '%s under an older Node says which one is needed where none is installed, and nothing else',
  async (entry) => {
    expect(await started(entry, 'unheard-of')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^medialog: this is Node 20\.20\.2, and Node 24 or newer is needed\. .*\n$/,
      ),
    })
  },
)
