import { InvalidArgumentError, Option, type Command } from 'commander'
import type { Cli } from '../cli.ts'

/** What a command does with its arguments and options; a number is the exit code where it is not 0. */
export type Action<Args extends unknown[]> = (cli: Cli, ...args: Args) => Promise<number | void>

/** Turns an action into what commander calls: with the settings of the global options, and its exit code kept. */
export type Run = <Args extends unknown[]>(
  action: Action<Args>,
) => (...all: [...args: Args, command: Command]) => Promise<void>

/** Adds one command, or one with its subcommands, to the program. */
export type Register = (program: Command, run: Run) => void

/** The examples at the end of a command's help. */
export const examples = (...lines: string[]): string =>
  ['', 'Examples:', ...lines.map((line) => `  $ medialog ${line}`)].join('\n')

/** For options that take a whole number within bounds. */
export const wholeNumber =
  (least: number, most = Number.MAX_SAFE_INTEGER) =>
  (text: string): number => {
    const number = Number(text)
    if (/^\d+$/.test(text) && number >= least && number <= most) return number
    throw new InvalidArgumentError(
      most === Number.MAX_SAFE_INTEGER
        ? `It must be a whole number from ${least}.`
        : `It must be a whole number from ${least} to ${most}.`,
    )
  }

/** For options that take any number within bounds. */
export const someNumber =
  (least: number, most: number) =>
  (text: string): number => {
    const number = Number(text)
    if (text.trim() !== '' && number >= least && number <= most) return number
    throw new InvalidArgumentError(`It must be a number from ${least} to ${most}.`)
  }

export const ratio = someNumber(0, 1)

/** For options that may be given more than once, or with commas. */
export const collect = (text: string, before: string[] = []): string[] => [
  ...before,
  ...text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
]

/** As `collect`, of known words only. */
export const collectOf =
  (known: readonly string[]) =>
  (text: string, before?: string[]): string[] => {
    const all = collect(text, before)
    const unknown = all.find((word) => !known.includes(word))
    if (unknown === undefined && all.length > 0) return all
    throw new InvalidArgumentError(`Allowed are ${known.join(', ')}.`)
  }

/** A time as ISO 8601 says it; the server reads it. */
export function isoTime(text: string): string {
  if (/^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(Date.parse(text))) return text
  throw new InvalidArgumentError('It must be a time like 2026-11-20 or 2026-11-20T13:00:00Z.')
}

export const choice = (flags: string, description: string, choices: readonly string[]): Option =>
  new Option(flags, description).choices(choices)

/** A month as the server takes it. */
export function month(text: string): string {
  if (/^2\d{3}-(?:0[1-9]|1[0-2])$/.test(text)) return text
  throw new InvalidArgumentError('It must be a month like 2026-11.')
}
