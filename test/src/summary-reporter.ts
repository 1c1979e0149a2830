import type { Reporter, TestModule } from 'vitest/node'
import { notExercised } from './engines.ts'
import { canMount } from './small-disk.ts'
import { notAsked } from './tools.ts'

/**
 * Ends the run with one plain line that people and machines read alike: `N passed, N failed`. Before it: what was not
 * exercised, and what passed only when it was tried again.
 */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    let passed = 0
    let failed = unhandledErrors.length
    const flaky: string[] = []
    for (const module of modules) {
      if (module.state() === 'failed' && [...module.children.allTests('failed')].length === 0) failed++
      for (const test of module.children.allTests()) {
        if (test.diagnostic()?.flaky) flaky.push(`${module.relativeModuleId} > ${test.fullName}`)
        if (test.result().state === 'passed') passed++
        else if (test.result().state === 'failed') failed++
      }
    }
    process.on('exit', () => {
      const engines = notExercised()
      if (engines.length > 0)
        console.log(`Engines not exercised, for want of an address: ${engines.join(', ')}`)
      const tools = notAsked()
      if (tools.length > 0) console.log(`Programs not asked, for want of them: ${tools.join(', ')}`)
      if (!canMount()) console.log('Disks not filled, for want of the right to mount one (root)')
      for (const name of flaky) console.log(`Passed only at the second try: ${name}`)
      console.log(`${passed} passed, ${failed} failed`)
    })
  }
}
