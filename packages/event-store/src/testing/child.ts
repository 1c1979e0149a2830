import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** A Node process that runs one file of this folder, killed when the test ends. */
export interface Child extends AsyncDisposable {
  /** The next line it prints, or null once it has ended. */
  nextLine(): Promise<string | null>
  /** SIGKILL; resolves once it has exited, with all its output that was not read. */
  kill(): Promise<string[]>
}

/** `shellPrefix` is run by the shell that then becomes the process. */
export function startChild(file: string, args: string[], shellPrefix = ''): Child {
  const path = fileURLToPath(new URL(file, import.meta.url))
  const child = spawn('bash', ['-c', `${shellPrefix} exec "$0" "$@"`, process.execPath, path, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const nextLine = async () => {
    const line = await lines.next()
    return line.done ? null : line.value
  }
  const kill = async () => {
    await end(child)
    const rest: string[] = []
    for (let line; (line = await nextLine()) !== null;) rest.push(line)
    return rest
  }
  return { nextLine, kill, [Symbol.asyncDispose]: async () => void (await kill()) }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill('SIGKILL')
  await exit
}
