import { readSync } from 'node:fs'
import { workerData } from 'node:worker_threads'
import type { Stretch } from './voice.ts'
import { Whisper } from './whisper.ts'
import { hearWindow, type Heard, type Progress } from './window.ts'

/** A window of a recording whose samples are in an open file, two bytes each, little-endian. */
export interface Task {
  file: number
  samples: number
  voice: readonly Stretch[]
  progress: Progress
}

let whisper: Promise<Whisper> | undefined

/** What the transcriber's thread runs, a window at a time: the default export. The model is opened with the first. */
export default async function hear({ file, samples, voice, progress }: Task): Promise<Heard> {
  whisper ??= Whisper.open(workerData as string)
  const read = (start: number, end: number): Int16Array => {
    const window = new Int16Array(end - start)
    readSync(file, window, 0, window.byteLength, start * Int16Array.BYTES_PER_ELEMENT)
    return window
  }
  return hearWindow(await whisper, { samples, voice, read }, progress)
}
