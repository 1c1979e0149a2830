import type { Config } from '../config.ts'
import { carriedOut, type Checked } from './check.ts'
import { engineChecks } from './engines.ts'
import { firstChecks, readingChecks } from './local.ts'

/**
 * Ports, folders, what is in them, and keys, before anything is written.
 * @throws the error of the first check that fails
 */
export async function requireStart(config: Config): Promise<void> {
  for (const { look } of firstChecks(config)) await look()
}

/** Whatever can refuse a start; and each engine that the roles of this configuration need is reached. Leaves nothing behind. */
export async function checkAll(config: Config): Promise<Checked[]> {
  const warnings = config.warnings.map((detail): Checked => ({
    name: 'settings',
    ok: true,
    warning: true,
    detail,
  }))
  const who = config.roles === null ? 'one process that is all of it' : config.roles.join(', ')
  const settings = { name: 'settings', ok: true, detail: `they make sense for ${who}` }
  const checks = [...firstChecks(config), ...readingChecks(config), ...engineChecks(config)]
  return [settings, ...warnings, ...(await Promise.all(checks.map(carriedOut)))]
}
