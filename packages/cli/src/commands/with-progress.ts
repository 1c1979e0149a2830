import type { Cli } from '../cli.ts'

/** Does work that shows its progress, and clears it after; whoever interrupts the work is told `onStop`, once. */
export async function withProgress<T>(
  { terminal, interrupts }: Cli,
  onStop: string,
  work: () => Promise<T>,
): Promise<T> {
  const say = () => terminal.printError(onStop)
  interrupts.stop.addEventListener('abort', say, { once: true })
  try {
    return await work()
  } finally {
    interrupts.stop.removeEventListener('abort', say)
    terminal.progress.clear()
  }
}
