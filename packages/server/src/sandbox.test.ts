import { pino } from 'pino'
import { expect, test } from 'vitest'
import { openSandbox } from './sandbox.ts'

/** What it answers, and what it logs, where the kernel has that. */
async function opened(sandbox: 'best' | 'required', landlock: number, seccomp: boolean) {
  const lines: { level: number; sandbox: string }[] = []
  const logger = pino({ level: 'info' }, { write: (line) => lines.push(JSON.parse(line)) })
  const inForce = await openSandbox({ sandbox }, logger, async () => ({ landlock, seccomp }))
  return { inForce, lines: lines.map(({ level, sandbox: said }) => [level, said]) }
}

test('what is in force is said, and warned of where it is not all', async () => {
  const whole = { inForce: 'Landlock 7, seccomp', lines: [[30, 'Landlock 7, seccomp']] }
  expect(await opened('best', 7, true)).toEqual(whole)
  expect(await opened('required', 7, true)).toEqual(whole)
  expect(await opened('best', 0, true)).toEqual({ inForce: 'seccomp', lines: [[40, 'seccomp']] })
})

test('where all of it is required, nothing starts with less', async () => {
  await expect(opened('required', 0, true)).rejects.toThrow(
    /: seccomp\. .*CONFIG_SECURITY_LANDLOCK.*MEDIALOG_SANDBOX=best\.$/,
  )
  await expect(opened('required', 2, true)).rejects.toThrow(/Landlock 2, seccomp\. Landlock 2 is too old/)
  await expect(opened('required', 7, false)).rejects.toThrow(/Landlock 7\. .*CONFIG_SECCOMP_FILTER/)
  await expect(opened('required', 0, false)).rejects.toThrow('none')
})
