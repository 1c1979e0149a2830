import type { Config } from '../config.ts'
import { carriedOut, type Checked } from './check.ts'
import { engineChecks } from './engines.ts'
import { localChecks } from './local.ts'

/**
 * What a start carries out before it writes anything: whatever this machine and its folders alone can refuse.
 * @throws the error of the first check that fails
 */
export async function requireStart(config: Config): Promise<void> {
  for (const { look } of localChecks(config)) await look()
}

/** The same, all of it; and each engine that the roles of this configuration need is reached. Leaves nothing behind. */
export async function checkAll(config: Config): Promise<Checked[]> {
  const warnings = config.warnings.map((detail): Checked => ({
    name: 'settings',
    ok: true,
    warning: true,
    detail,
  }))
  const who = config.roles === null ? 'one process that is all of it' : config.roles.join(', ')
  const settings = { name: 'settings', ok: true, detail: `they make sense for ${who}` }
  const checks = [...localChecks(config), ...engineChecks(config)]
  return [settings, ...warnings, ...(await Promise.all(checks.map(carriedOut)))]
}
