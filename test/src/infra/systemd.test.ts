import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import packageJson from '../../../package.json' with { type: 'json' }
import { describeWithTool } from '../tools.ts'
import { infraFile, infraPath } from './folder.ts'

const UNITS = readdirSync(infraPath('systemd'))
const unit = (name: string): string => infraFile(`systemd/${name}`)
const valuesOf = (text: string, name: string): string[] =>
  Array.from(text.matchAll(new RegExp(`^${name}=(.*)$`, 'gm')), ([, value]) => value!)

test('the service is started as `npm start` does, and has time to stop', () => {
  const [, settings, flags, main] = /^(.*)exec node ((?:--\S+ )*)(\S+)$/.exec(packageJson.scripts.start)!
  for (const name of ['medialog.service', 'medialog@.service']) {
    const [started] = valuesOf(unit(name), 'ExecStart')
    expect(started, name).toContain(`/node ${flags}${main}`)
    const [environment] = valuesOf(unit(name), 'Environment')
    // Where the unit's user may write.
    const [cache] = valuesOf(unit(name), 'CacheDirectory')
    for (const setting of settings!.trim().split(' '))
      expect(environment!.split(' '), name).toContain(
        setting.replace(/^(NODE_COMPILE_CACHE)=.*$/, `$1=/var/cache/${cache}`),
      )
    // Twice MEDIALOG_DRAIN_SECONDS and a quarter of a minute.
    expect(valuesOf(unit(name), 'TimeoutStopSec')).toEqual([String(2 * 20 + 15)])
  }
})

test('everything is done by a user without rights, on a system that it cannot change', () => {
  for (const name of UNITS.filter((file) => file.endsWith('.service'))) {
    const text = unit(name)
    expect([name, valuesOf(text, 'User'), valuesOf(text, 'ProtectSystem')]).toEqual([
      name,
      ['medialog'],
      ['strict'],
    ])
    expect([name, valuesOf(text, 'NoNewPrivileges'), valuesOf(text, 'CapabilityBoundingSet')]).toEqual([
      name,
      ['yes'],
      [''],
    ])
  }
})

test('the README installs every unit', () => {
  const readme = infraFile('README.md')
  for (const name of UNITS.filter((file) => !file.endsWith('.service'))) expect(readme).toContain(name)
  for (const role of ['api', 'worker', 'projections', 'publisher'])
    expect(readme + unit('medialog@.service')).toContain(`@${role}`)
})

describeWithTool('systemd', 'systemd', (systemdAnalyze) => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'medialog-units-'))
    const root = infraPath('..').replace(/\/$/, '')
    for (const name of UNITS)
      writeFileSync(
        // Instances are looked at, not what they are made of.
        join(folder, name.replace('@', '@api')),
        // The checkout is here, and the user does not exist.
        unit(name)
          .replaceAll('/opt/medialog', root)
          .replaceAll(/^(User|Group)=.*$/gm, '$1=root'),
      )
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  const analyze = (...words: string[]) => spawnSync(systemdAnalyze, words, { encoding: 'utf8' })

  test('takes every unit', () => {
    const { status, stdout, stderr } = analyze(
      'verify',
      '--man=no',
      ...readdirSync(folder).map((name) => join(folder, name)),
    )
    expect([stdout, stderr, status]).toEqual(['', '', 0])
    writeFileSync(
      join(folder, 'wrong.service'),
      unit('medialog.service').replace('ExecStart=', 'ExecStart=/nowhere'),
    )
    expect(analyze('verify', '--man=no', join(folder, 'wrong.service')).status).not.toBe(0)
    rmSync(join(folder, 'wrong.service'))
  })

  test('calls none of them exposed', () => {
    for (const name of readdirSync(folder).filter((file) => file.endsWith('.service'))) {
      const { status, stdout } = analyze('security', '--offline=true', '--threshold=40', join(folder, name))
      expect([name, status], stdout).toEqual([name, 0])
    }
  })
})
