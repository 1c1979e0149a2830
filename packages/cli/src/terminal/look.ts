import { styleText } from 'node:util'

type Format = Parameters<typeof styleText>[0]
export type Paint = (text: string) => string

/** How things are drawn: the colours, or none, and how many columns there are (Infinity into a pipe or a file). */
export interface Look {
  width: number
  bold: Paint
  dim: Paint
  accent: Paint
  good: Paint
  warn: Paint
  bad: Paint
}

export interface LookOptions {
  colours: boolean
  width: number
}

export function makeLook({ colours, width }: LookOptions): Look {
  const paint =
    (format: Format): Paint =>
    (text) =>
      colours && text !== '' ? styleText(format, text, { validateStream: false }) : text
  return {
    width,
    bold: paint('bold'),
    dim: paint('dim'),
    accent: paint('cyan'),
    good: paint('green'),
    warn: paint('yellow'),
    bad: paint('red'),
  }
}

/** Colours go to terminals only; NO_COLOR turns them off everywhere, FORCE_COLOR on (https://no-color.org). */
export function wantsColours(stream: { isTTY?: boolean }, environment: NodeJS.ProcessEnv): boolean {
  if (environment.NO_COLOR) return false
  if (environment.FORCE_COLOR) return environment.FORCE_COLOR !== '0'
  return stream.isTTY === true && environment.TERM !== 'dumb'
}

/** A terminal's columns; into a pipe or a file nothing is cut, unless COLUMNS says so. */
export function widthFor(
  stream: { isTTY?: boolean; columns?: number },
  environment: NodeJS.ProcessEnv,
): number {
  const named = Number(environment.COLUMNS)
  if (Number.isInteger(named) && named > 0) return Math.max(named, 20)
  return stream.isTTY ? Math.max(stream.columns || 80, 20) : Infinity
}
