import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { UsageError } from '../client/errors.ts'
import { profilesPath, readProfiles, writeProfiles } from './profiles.ts'
import { readSettings, type Flags } from './settings.ts'

let folder: string
let environment: NodeJS.ProcessEnv
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'medialog-settings-'))
  environment = { XDG_CONFIG_HOME: folder, MEDIALOG_DATA_DIR: join(folder, 'data') }
})
afterEach(() => rmSync(folder, { recursive: true }))

function serverIn(name: string, url: string | null): string {
  const path = join(folder, name)
  mkdirSync(join(path, 'secrets'), { recursive: true })
  if (url) writeFileSync(join(path, 'server.json'), JSON.stringify({ url, pid: 1 }))
  writeFileSync(join(path, 'secrets', 'dev-api-key'), 'folder-key\n')
  writeFileSync(join(path, 'secrets', 'operator-token'), 'folder-token\n')
  return path
}
const keep = (profile: object) =>
  writeProfiles(profilesPath(environment), { current: 'work', profiles: { work: profile } })
const settings = (flags: Flags = {}) => {
  const { url, apiKey, operatorToken } = readSettings(flags, environment)
  return [url, apiKey, operatorToken]
}

describe('each setting comes from the first that has it', () => {
  test('nothing at all: the default address, no secrets', () => {
    expect(settings()).toEqual(['http://127.0.0.1:8080', null, null])
  })

  test('a data folder, over the default', () => {
    serverIn('data', 'http://127.0.0.1:9000')
    expect(settings()).toEqual(['http://127.0.0.1:9000', 'folder-key', 'folder-token'])
  })

  test('a profile, over the data folder', () => {
    serverIn('data', 'http://127.0.0.1:9000')
    keep({ url: 'https://work', key: 'profile-key' })
    expect(settings()).toEqual(['https://work', 'profile-key', null])
  })

  test('the environment, over the profile', () => {
    keep({ url: 'https://work', key: 'profile-key', operatorToken: 'profile-token' })
    Object.assign(environment, { MEDIALOG_API_KEY: 'env-key' })
    expect(settings()).toEqual(['https://work', 'env-key', 'profile-token'])
  })

  test('flags, over all', () => {
    keep({ url: 'https://work', key: 'profile-key' })
    Object.assign(environment, { MEDIALOG_URL: 'https://env', MEDIALOG_API_KEY: 'env-key' })
    expect(settings({ url: 'https://flag/', key: 'flag-key', operatorToken: 'flag-token' })).toEqual([
      'https://flag',
      'flag-key',
      'flag-token',
    ])
  })

  test('a profile or a data folder that a flag names, over the environment', () => {
    const path = serverIn('elsewhere', 'http://127.0.0.1:9001')
    keep({ url: 'https://work', key: 'profile-key' })
    Object.assign(environment, { MEDIALOG_URL: 'https://env', MEDIALOG_API_KEY: 'env-key' })
    expect(settings({ dataDir: path })).toEqual(['http://127.0.0.1:9001', 'folder-key', 'folder-token'])
    expect(settings({ profile: 'work' })).toEqual(['https://work', 'profile-key', null])
  })
})

describe('secrets go only where they belong', () => {
  test("a data folder's to no other machine", () => {
    serverIn('data', 'http://127.0.0.1:9000')
    expect(settings({ url: 'https://elsewhere' })).toEqual(['https://elsewhere', null, null])
    expect(settings({ url: 'http://127.evil.example' })).toEqual(['http://127.evil.example', null, null])
  })

  test("a data folder's to another address of this machine", () => {
    serverIn('data', 'http://127.0.0.1:9000')
    expect(settings({ url: 'http://localhost:9000' })).toEqual([
      'http://localhost:9000',
      'folder-key',
      'folder-token',
    ])
  })

  test("a profile's to its own server only, or to any if it names none", () => {
    keep({ url: 'https://work', key: 'profile-key' })
    expect(settings({ url: 'https://other' })[1]).toBeNull()
    expect(settings({ url: 'https://work/' })[1]).toBe('profile-key')
    keep({ key: 'profile-key' })
    expect(settings({ url: 'https://other' })[1]).toBe('profile-key')
  })
})

test('an address that is none, and a profile that is not there, are wrong usage', () => {
  expect(() => settings({ url: 'ftp://x' })).toThrow(UsageError)
  expect(() => settings({ profile: 'nope' })).toThrow(UsageError)
})

test('profiles are readable by their owner only, also when they were not before', () => {
  keep({ key: 'secret' })
  const path = profilesPath(environment)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(readProfiles(path).profiles.work).toEqual({ key: 'secret' })
  writeFileSync(path, '{ half')
  expect(() => readProfiles(path)).toThrow(/cannot be read/)
})
