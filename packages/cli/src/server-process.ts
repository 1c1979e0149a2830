import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import packageJson from '../../../package.json' with { type: 'json' }

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
/** `NAME=value … exec node --flag … path/of/main.ts`: what runs the server is said once, there. */
const [, SETTINGS, FLAGS, MAIN] = /^((?:\w+=\S+ )*)exec node ((?:--\S+ )*)(\S+)$/.exec(
  packageJson.scripts.start,
)!

const words = (text: string): string[] => text.split(' ').filter(Boolean)

/** What `npm start` is, from anywhere: arguments for this Node, the script last, and what it sets in the environment. */
export const SERVER_PROCESS = {
  flags: words(FLAGS!),
  main: join(ROOT, MAIN!),
  /** What is done to data folders beside it. */
  maintenance: join(ROOT, 'packages/server/src/maintenance.ts'),
  env: Object.fromEntries(
    words(SETTINGS!).map((setting) => {
      const [name, value] = setting.split('=') as [string, string]
      return [name, value.includes('/') ? resolve(ROOT, value) : value]
    }),
  ),
}
