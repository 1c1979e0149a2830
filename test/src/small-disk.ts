import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe } from 'vitest'

/** A disk that is easily filled, mounted on a folder of its own. */
export interface SmallDisk extends Disposable {
  path: string
}

/** @throws where this user may not mount one: see `canMount` */
export function mountSmallDisk(megabytes: number): SmallDisk {
  const path = mkdtempSync(join(tmpdir(), 'medialog-disk-'))
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', path])
  return {
    path,
    [Symbol.dispose]() {
      execFileSync('umount', ['--lazy', path])
      rmdirSync(path)
    },
  }
}

/** Whether this user may mount disks: root, on most machines, and not in every container. */
export function canMount(): boolean {
  const path = mkdtempSync(join(tmpdir(), 'medialog-disk-'))
  try {
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', path], { stdio: 'ignore' })
    if (mounted.status !== 0) return false
    return spawnSync('umount', [path], { stdio: 'ignore' }).status === 0
  } finally {
    rmdirSync(path)
  }
}

/** A suite that fills a disk: left out, and named at the run's end, where none can be mounted. */
export function describeWithSmallDisk(title: string, suite: () => void): void {
  // oxlint-disable-next-line vitest/valid-title, vitest/valid-describe-callback -- the caller's
  describe.skipIf(!canMount())(title, suite)
}
