/* oxlint-disable unicorn/require-post-message-target-origin -- between threads, not windows */
import { realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { BroadcastChannel } from 'node:worker_threads'

/** One channel a file, whatever path names it; heard by every thread of this process. */
const channelOf = (path: string): string =>
  `medialog-log:${join(realpathSync(dirname(path)), basename(path))}`

/** Rung by the writer after each commit. */
export function openRinger(path: string): { ring(): void; close(): void } {
  const channel = new BroadcastChannel(channelOf(path))
  return { ring: () => channel.postMessage(null), close: () => channel.close() }
}

/** Hears the commits. `rung` resolves at once where one came since `listenAgain`, so none is missed in between. */
export class Bell {
  #channel: BroadcastChannel
  #rang = false
  #wake: () => void = () => {}

  constructor(path: string) {
    this.#channel = new BroadcastChannel(channelOf(path))
    this.#channel.addEventListener('message', () => {
      this.#rang = true
      this.#wake()
    })
  }

  listenAgain(): void {
    this.#rang = false
  }

  async rung(signal: AbortSignal): Promise<void> {
    if (this.#rang || signal.aborted) return
    await new Promise<void>((resolve) => {
      this.#wake = resolve
      signal.addEventListener('abort', this.#wake, { once: true })
    })
    signal.removeEventListener('abort', this.#wake)
  }

  close(): void {
    this.#channel.close()
  }
}
