/** The job's batch was cancelled, or has ended without it: it must have no further effect. */
export class JobStopped extends Error {
  override name = 'JobStopped'

  constructor() {
    super('the batch was cancelled before the file was processed')
  }
}

/** As often as it may be tried the process ended that was at it. */
export class TriedTooOften extends Error {
  override name = 'TriedTooOften'

  constructor() {
    super('the service ended each time the file was processed')
  }
}

/** The process stops: jobs are left as they are, to be taken up by the next one. */
export class JobParked extends Error {
  override name = 'JobParked'

  constructor() {
    super('the service is stopping')
  }
}

export const whenAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
