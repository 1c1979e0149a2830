import type { Checked } from './check.ts'
import { InvalidConfiguration } from './config-values.ts'
import type { Config } from './config.ts'

/** What `--check` found: a line each for people, or one JSON document. */
export function reportOf(checks: readonly Checked[], asJson: boolean): string {
  if (asJson) return JSON.stringify({ ok: isFine(checks), checks }, null, 2)
  const width = Math.max(...checks.map(({ name }) => name.length))
  return checks.map(({ name, ok, detail }) => `${ok ? '✓' : '✗'} ${name.padEnd(width)}  ${detail}`).join('\n')
}

export const isFine = (checks: readonly Checked[]): boolean => checks.every(({ ok }) => ok)

/** The settings themselves, and all else where they make sense. */
export async function checked(
  read: () => Config,
  checkAll: (config: Config) => Promise<Checked[]>,
): Promise<Checked[]> {
  try {
    const config = read()
    const who = config.roles === null ? 'one process that is all of it' : config.roles.join(', ')
    return [{ name: 'settings', ok: true, detail: `they make sense for ${who}` }, ...(await checkAll(config))]
  } catch (error) {
    if (!(error instanceof InvalidConfiguration)) throw error
    return [{ name: 'settings', ok: false, detail: error.message }]
  }
}
