import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** Runs a file of this folder in a process of its own, kills it after so many lines and answers all it printed. */
export async function killedAfter(lines: number, file: string, ...args: string[]): Promise<string[]> {
  const child = spawn(process.execPath, [fileURLToPath(new URL(file, import.meta.url)), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exit = once(child, 'exit')
  const printed: string[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    printed.push(line)
    if (printed.length === lines) child.kill('SIGKILL')
  }
  await exit
  return printed
}
