import type { Checked } from './check.ts'
import { InvalidConfiguration } from '../config-values.ts'
import type { Config } from '../config.ts'

/** What `--check` found: a line each for people, or one JSON document. */
export function reportOf(checks: readonly Checked[], asJson: boolean): string {
  if (asJson) return JSON.stringify({ ok: isFine(checks), checks }, null, 2)
  const width = Math.max(...checks.map(({ name }) => name.length))
  return checks.map((check) => `${markOf(check)} ${check.name.padEnd(width)}  ${check.detail}`).join('\n')
}

function markOf({ ok, warning }: Checked): string {
  if (!ok) return '✗'
  return warning ? '!' : '✓'
}

export const isFine = (checks: readonly Checked[]): boolean => checks.every(({ ok }) => ok)

/** The settings themselves, and all else where they make sense. */
export async function checked(
  read: () => Config,
  checkAll: (config: Config) => Promise<Checked[]>,
): Promise<Checked[]> {
  try {
    return await checkAll(read())
  } catch (error) {
    if (!(error instanceof InvalidConfiguration)) throw error
    return [{ name: 'settings', ok: false, detail: error.message }]
  }
}
