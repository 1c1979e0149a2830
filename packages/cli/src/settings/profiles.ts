import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { CliError } from '../client/errors.ts'

/** One named set of settings; what it does not name is looked for further down. */
export interface Profile {
  url?: string
  key?: string
  operatorToken?: string
}

export interface Profiles {
  current: string | null
  profiles: { [name: string]: Profile }
}

/** `$XDG_CONFIG_HOME/medialog/profiles.json`, by default below `~/.config`. */
export const profilesPath = (environment: NodeJS.ProcessEnv): string =>
  join(environment.XDG_CONFIG_HOME || join(homedir(), '.config'), 'medialog', 'profiles.json')

/** @throws CliError when the file is not what this program wrote */
export function readProfiles(path: string): Profiles {
  if (!existsSync(path)) return { current: null, profiles: {} }
  try {
    const { current, profiles } = JSON.parse(readFileSync(path, 'utf8')) as Partial<Profiles>
    if (typeof profiles === 'object' && profiles !== null) return { current: current ?? null, profiles }
  } catch {
    // Said below.
  }
  throw new CliError('INVALID_PROFILES', `The profile file ${path} cannot be read.`, {
    hint: 'Repair it, or remove it and add the profiles again with `medialog profile add`.',
  })
}

/** Keeps keys where only their owner reads them. Renamed into place, so that a crash leaves the old file or the new. */
export function writeProfiles(path: string, profiles: Profiles): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const draft = `${path}.${process.pid}.new`
  writeFileSync(draft, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600 })
  renameSync(draft, path)
}
