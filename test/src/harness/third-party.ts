import { execFile } from 'node:child_process'
import { toolPath } from '../tools.ts'

const pathOf = (name: string): string => new URL(`../../../docs/${name}`, import.meta.url).pathname
const python = toolPath('python')

export interface Said {
  code: number
  said: string
}

/** The script of a third party: it has the files alone. */
export const verified = (...args: string[]): Promise<Said> =>
  run(process.execPath, pathOf('verify-checkpoint.mjs'), ...args)

/** The same in Python, of ledgers and statements; null on a machine without Python. */
export const verifiedInPython = async (...args: string[]): Promise<Said | null> =>
  python === null ? null : run(python, pathOf('verify_ledger.py'), ...args)

const run = (program: string, ...args: string[]): Promise<Said> =>
  new Promise((resolve) =>
    execFile(program, args, { env: { PYTHONDONTWRITEBYTECODE: '1' } }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), said: stdout + stderr }),
    ),
  )
