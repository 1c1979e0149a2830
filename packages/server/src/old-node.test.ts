import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const run = promisify(execFile)
/** What an older Node says of itself. */
const OLDER = `data:text/javascript,Object.defineProperty(process, 'versions', { value: { node: '20.20.2' } })`

test.each(['packages/server/start.mjs', 'packages/cli/medialog.mjs'])(
  '%s under an older Node says which one is needed, and nothing else',
  async (entry) => {
    const path = new URL(`../../../${entry}`, import.meta.url).pathname
    const failed = await run(process.execPath, ['--import', OLDER, path]).catch((error: unknown) => error)
    expect(failed).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^medialog: this is Node 20\.20\.2, and Node 24 or newer is needed\. .*\n$/,
      ),
    })
  },
)
