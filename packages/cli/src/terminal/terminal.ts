import { once } from 'node:events'
import { createInterface } from 'node:readline/promises'
import { makeLook, wantsColours, widthFor, type Look } from './look.ts'
import { progressLine, type ProgressLine } from './progress.ts'

/** Where a command writes: results to standard output, everything else to standard error. */
export interface Terminal {
  look: Look
  /** The look of what goes to standard error. */
  errorLook: Look
  progress: ProgressLine
  /** Whether somebody is there to answer a question. */
  isInteractive: boolean
  print: (lines: string | readonly string[]) => void
  /** The text as it is, without a line break after it. */
  write: (text: string) => void
  printError: (lines: string | readonly string[]) => void
  /** The answer; empty when there was none. */
  ask(question: string): Promise<string>
}

export interface TerminalOptions {
  environment: NodeJS.ProcessEnv
  /** False after `--no-color`. */
  colours?: boolean
}

/** The process's own standard streams. */
export function openTerminal({ environment, colours = true }: TerminalOptions): Terminal {
  const { stdin, stdout, stderr } = process
  const lookOf = (stream: NodeJS.WriteStream) =>
    makeLook({ colours: colours && wantsColours(stream, environment), width: widthFor(stream, environment) })
  const progress = progressLine(stderr)
  const write = (stream: NodeJS.WriteStream, lines: string | readonly string[]) => {
    progress.clear()
    for (const line of [lines].flat()) stream.write(`${line}\n`)
  }
  return {
    look: lookOf(stdout),
    errorLook: lookOf(stderr),
    progress,
    isInteractive: stdin.isTTY && stderr.isTTY,
    print: (lines) => write(stdout, lines),
    write(text) {
      progress.clear()
      stdout.write(text)
    },
    printError: (lines) => write(stderr, lines),
    async ask(question) {
      const reader = createInterface({ input: stdin, output: stderr })
      try {
        // Ctrl-C and Ctrl-D close the reader and leave the question open: no answer is a no.
        const closed = once(reader, 'close').then(() => '')
        return await Promise.race([reader.question(question).catch(() => ''), closed])
      } finally {
        reader.close()
      }
    },
  }
}
