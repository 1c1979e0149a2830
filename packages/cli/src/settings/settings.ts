import { isIPv4 } from 'node:net'
import { resolve } from 'node:path'
import { UsageError } from '../client/errors.ts'
import { readDataFolder } from './data-folder.ts'
import { profilesPath, readProfiles, type Profile } from './profiles.ts'

/** The global options, as they were given. */
export interface Flags {
  url?: string
  key?: string
  operatorToken?: string
  profile?: string
  dataDir?: string
}

export type Source = 'flag' | 'environment' | 'profile' | 'data folder' | 'default'

export interface Settings {
  url: string
  apiKey: string | null
  operatorToken: string | null
  /** Where the address came from, so that an error can say it. */
  urlSource: Source
  dataFolder: string
}

interface Candidate {
  source: Source
  url?: string | null
  apiKey?: string | null
  operatorToken?: string | null
}

const DEFAULT_URL = 'http://127.0.0.1:8080'

/**
 * Each setting from the first source that has it: flags, environment, profile, the data folder of a local server. A
 * profile or a data folder that a flag names stands before the environment. Secrets of either go only to the server
 * that they belong to, never to one that was named elsewhere. @throws UsageError
 */
export function readSettings(flags: Flags, environment: NodeJS.ProcessEnv): Settings {
  const dataFolder = resolve(flags.dataDir ?? (environment.MEDIALOG_DATA_DIR || './data'))
  const folder: Candidate = { source: 'data folder', ...readDataFolder(dataFolder) }
  const profile = profileCandidate(flags.profile, environment)
  const candidates: Candidate[] = [
    { source: 'flag', url: flags.url, apiKey: flags.key, operatorToken: flags.operatorToken },
    ...(flags.profile === undefined ? [] : [profile]),
    ...(flags.dataDir === undefined ? [] : [folder]),
    {
      source: 'environment',
      url: environment.MEDIALOG_URL,
      apiKey: environment.MEDIALOG_API_KEY,
      operatorToken: environment.MEDIALOG_OPERATOR_TOKEN,
    },
    profile,
    folder,
    { source: 'default', url: DEFAULT_URL },
  ]
  const chosen = candidates.find(({ url }) => url)!
  const url = parseUrl(chosen.url!)
  const trusted = candidates.filter((candidate) => mayGoTo(candidate, url))
  return {
    url,
    apiKey: trusted.find(({ apiKey }) => apiKey)?.apiKey ?? null,
    operatorToken: trusted.find(({ operatorToken }) => operatorToken)?.operatorToken ?? null,
    urlSource: chosen.source,
    dataFolder,
  }
}

function profileCandidate(named: string | undefined, environment: NodeJS.ProcessEnv): Candidate {
  const { current, profiles } = readProfiles(profilesPath(environment))
  const name = named ?? current
  if (name === null) return { source: 'profile' }
  const profile: Profile | undefined = Object.hasOwn(profiles, name) ? profiles[name] : undefined
  if (!profile && named)
    throw new UsageError(
      `There is no profile '${name}'.`,
      'See `medialog profile list`, or make it with `medialog profile add`.',
    )
  return { source: 'profile', url: profile?.url, apiKey: profile?.key, operatorToken: profile?.operatorToken }
}

/** @throws UsageError */
export function parseUrl(text: string): string {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol))
    throw new UsageError(`'${text}' is not an address of a server.`, 'It looks like http://127.0.0.1:8080.')
  return url.href.replace(/\/+$/, '')
}

function mayGoTo({ source, url: own }: Candidate, url: string): boolean {
  if (source === 'flag' || source === 'environment') return true
  if (own && URL.canParse(own) && parseUrl(own) === url) return true
  // A profile without an address is meant for any; a data folder is of a server on this machine.
  return source === 'profile' ? !own : isLoopback(new URL(url).hostname)
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || (isIPv4(host) && host.startsWith('127.'))
