import { readFileSync, writeFileSync } from 'node:fs'
import { CliError, UsageError } from '../client/errors.ts'

/** As a file has it. */
export const asDocument = (data: unknown): string => `${JSON.stringify(data, null, 2)}\n`

/** @throws UsageError */
export function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}`)
  }
}

/** @throws CliError */
export function writeOut(file: string | undefined, text: string): void {
  if (file === undefined) return
  try {
    writeFileSync(file, text)
  } catch (error) {
    throw new CliError('NOT_WRITTEN', `${file} cannot be written: ${(error as Error).message}`)
  }
}
