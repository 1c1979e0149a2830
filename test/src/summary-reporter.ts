import { writeFileSync } from 'node:fs'
import type { Reporter, TestModule } from 'vitest/node'
import { notExercised } from './engines.ts'
import { canMount } from './small-disk.ts'
import { notAsked } from './tools.ts'

const SLOWEST = 10

/**
 * Ends the run with what was not exercised, the slowest files, and one plain line for people and machines:
 * `N passed, N failed`. Writes the files that failed, one a line, to the file that `FAILED_FILES` names.
 */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    let passed = 0
    let failed = unhandledErrors.length
    for (const module of modules) {
      if (module.state() === 'failed' && [...module.children.allTests('failed')].length === 0) failed++
      for (const test of module.children.allTests()) {
        if (test.result().state === 'passed') passed++
        else if (test.result().state === 'failed') failed++
      }
    }
    const { FAILED_FILES } = process.env
    if (FAILED_FILES) {
      const files = modules.filter((module) => module.state() === 'failed')
      writeFileSync(FAILED_FILES, files.map(({ relativeModuleId }) => `${relativeModuleId}\n`).join(''))
    }
    // At the exit, temporary folders are gone.
    const fillsDisks = canMount()
    process.on('exit', () => {
      const slowest = modules
        .map((module) => ({ seconds: secondsOf(module), name: module.relativeModuleId }))
        .toSorted((one, other) => other.seconds - one.seconds)
        .slice(0, SLOWEST)
      console.log('The slowest files, in seconds:')
      for (const { seconds, name } of slowest) console.log(`${seconds.toFixed(1).padStart(7)} ${name}`)
      const engines = notExercised()
      if (engines.length > 0)
        console.log(`Engines not exercised, for want of an address: ${engines.join(', ')}`)
      const tools = notAsked()
      if (tools.length > 0) console.log(`Programs not asked, for want of them: ${tools.join(', ')}`)
      if (!fillsDisks) console.log('Disks not filled, for want of the right to mount one (root)')
      console.log(`${passed} passed, ${failed} failed`)
    })
  }
}

/** From the start of its import to the end of its last test. */
function secondsOf(module: TestModule): number {
  const { collectDuration, duration, setupDuration } = module.diagnostic()
  return (collectDuration + duration + setupDuration) / 1_000
}
