import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PROFILES } from '../formats.ts'
import { scratchFolder } from '../testing/fixtures.ts'
import { childCommand } from './command.ts'
import { confinementText, inspectConfinement, isWhole, type Confinement } from './confinement.ts'

const PROBE = new URL('../testing/native-probe.pl', import.meta.url)
let folder: Awaited<ReturnType<typeof scratchFolder>>
let confinement: Confinement
beforeAll(async () => {
  ;[folder, confinement] = await Promise.all([scratchFolder(), inspectConfinement()])
})
afterAll(() => folder.remove())

test('what is in force is said in words', () => {
  expect(confinementText({ landlock: 7, seccomp: true })).toBe('Landlock 7, seccomp')
  expect(confinementText({ landlock: 0, seccomp: true })).toBe('seccomp')
  expect(confinementText({ landlock: 0, seccomp: false })).toBe('none')
})

describe.each(PROFILES)('what native code in a child of the profile %s could do', (profile) => {
  /** The very command of a child, the program in it replaced by one that asks the kernel itself. */
  async function attempts(): Promise<unknown> {
    const secret = await folder.write('secret', 'other people’s words')
    const trained = await folder.write('xyz.traineddata', 'letters')
    const limits = {
      heapMb: 64,
      cpuSeconds: 60,
      confined: true,
      trained: [{ language: 'xyz', path: trained }],
      recognitionMs: 0,
      lookingMs: 0,
    }
    const { file, args } = childCommand(PROBE, profile, limits)
    const end = args.indexOf('--')
    const probe = ['/usr/bin/perl', '/usr/share/perl', PROBE.pathname]
    const command = [...args.slice(0, end), ...probe, '--', '/usr/bin/perl', PROBE.pathname]
    const { stdout } = await promisify(execFile)(file, [...command, secret, trained, String(process.pid)], {
      env: {},
    })
    return JSON.parse(stdout)
  }

  test('is to read what it is given, and nothing else', async () => {
    const tried = attempts()
    if (!isWhole(confinement)) return expect(tried).rejects.toThrow(/confine/)
    const [notThere, notPermitted] = ['Permission denied', 'Operation not permitted']
    expect(await tried).toEqual({
      given: 'done',
      'read a file': notThere,
      'list a folder': notThere,
      'read another process': notThere,
      'write over a file': notThere,
      'truncate a file': notPermitted,
      'make a file': notThere,
      'remove a file': notPermitted,
      'open a socket': notPermitted,
      'open a local socket': notPermitted,
      'signal another process': notPermitted,
      'change its priority': notPermitted,
      'change the mode of a file': notPermitted,
      'change the times of a file': notPermitted,
      'share memory': notPermitted,
      'have another process signalled': notPermitted,
      'type into its terminal': notPermitted,
      'make a folder': notThere,
      'read the network of the machine': notThere,
      'start a process': notPermitted,
      'run another program': notThere,
    })
    expect(await readFile(`${folder.path}/secret`, 'utf8')).toBe('other people’s words')
    expect(existsSync(`${folder.path}/made`)).toBe(false)
    return undefined
  })
})
