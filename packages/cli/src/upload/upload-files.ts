import { setTimeout as sleep } from 'node:timers/promises'
import type { Client, MedialogError } from '@medialog/client'
import { Interrupted } from '../client/errors.ts'
import type { PlannedFile } from './plan.ts'
import { uploadFile, type Outcome, type UploadOptions } from './upload-file.ts'

/** Told what happens, for a progress line. */
export interface UploadObserver {
  started?(file: PlannedFile): void
  /** Bytes of the file that left; negative when it starts over. */
  sent?(file: PlannedFile, bytes: number): void
  waiting?(file: PlannedFile, milliseconds: number, error: MedialogError): void
  ended?(outcome: Outcome): void
}

export interface UploadRun extends UploadOptions {
  concurrency: number
  /** Starts no more files, breaks off those that are being sent, awaits those that the server is working on. */
  stop: AbortSignal
  /** Breaks off everything. */
  leave: AbortSignal
}

/** Uploads up to `concurrency` files at a time; each one's outcome, in the order of the files. Never throws for one file. */
export async function uploadFiles(
  client: Client,
  files: readonly PlannedFile[],
  run: UploadRun,
  observer: UploadObserver = {},
): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  const gate = makeGate(run.stop)
  let next = 0
  async function worker(): Promise<void> {
    while (next < files.length && !run.stop.aborted) {
      const index = next++
      const file = files[index]!
      observer.started?.(file)
      const outcome = await uploadFile(client, file, {
        ...run,
        ready: gate.ready,
        onSent: (bytes) => observer.sent?.(file, bytes),
        onWait: (milliseconds, error) => {
          if (error.code === 'RATE_LIMIT_EXCEEDED') gate.closeFor(milliseconds)
          observer.waiting?.(file, milliseconds, error)
        },
      })
      outcomes[index] = outcome
      observer.ended?.(outcome)
    }
  }
  await Promise.all(Array.from({ length: Math.min(run.concurrency, files.length) }, worker))
  return files.map(
    (file, index) => outcomes[index] ?? { kind: 'interrupted', file, error: new Interrupted() },
  )
}

/** The rate limit is one for all files: when it is reached by one, the others wait too instead of running into it. */
function makeGate(stop: AbortSignal) {
  let closedUntil = 0
  return {
    closeFor(milliseconds: number) {
      closedUntil = Math.max(closedUntil, Date.now() + milliseconds)
    },
    ready: async (): Promise<void> => {
      for (let wait = closedUntil - Date.now(); wait > 0; wait = closedUntil - Date.now())
        await sleep(wait, undefined, { signal: stop }).catch(() => {
          throw new Interrupted()
        })
    },
  }
}
