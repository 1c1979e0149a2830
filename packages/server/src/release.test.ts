import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { describeRelease, readBuild } from './release.ts'

const COMMIT = '1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d'

test.each<[string, Record<string, string>, ReturnType<typeof readBuild>]>([
  ['nothing', {}, { commit: null, builtAt: null }],
  [
    'a note of the build',
    { 'build.txt': `${COMMIT}\n2026-11-28T04:00:00Z\n` },
    built('2026-11-28T04:00:00Z'),
  ],
  [
    'a build of no commit',
    { 'build.txt': '\n2026-11-28T04:00:00Z\n' },
    { commit: null, builtAt: '2026-11-28T04:00:00Z' },
  ],
  [
    'a checkout',
    { '.git/HEAD': 'ref: refs/heads/main\n', '.git/refs/heads/main': `${COMMIT}\n` },
    built(null),
  ],
  ['a detached head', { '.git/HEAD': `${COMMIT}\n` }, built(null)],
  [
    'packed references',
    { '.git/HEAD': 'ref: refs/heads/main\n', '.git/packed-refs': `# pack-refs\n${COMMIT} refs/heads/main\n` },
    built(null),
  ],
  ['no commit yet', { '.git/HEAD': 'ref: refs/heads/main\n' }, { commit: null, builtAt: null }],
  ['a file that points elsewhere', { '.git': 'gitdir: ../elsewhere\n' }, { commit: null, builtAt: null }],
])('the build is known from %s', (_, files, expected) => {
  const root = mkdtempSync(join(tmpdir(), 'medialog-release-'))
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), content)
  }
  expect(readBuild(root)).toEqual(expected)
  rmSync(root, { recursive: true })
})

function built(builtAt: string | null) {
  return { commit: COMMIT, builtAt }
}

test('a release is described by what is known of it', () => {
  expect(describeRelease({ version: '0.2.0', commit: null, builtAt: null })).toBe('0.2.0')
  expect(describeRelease({ version: '0.2.0', commit: COMMIT, builtAt: '2026-11-28T04:00:00Z' })).toBe(
    '0.2.0 (commit 1a2b3c4d, built 2026-11-28T04:00:00Z)',
  )
})
