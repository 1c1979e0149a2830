/** How far it is, from 0 to 1, and with what. */
export type OnProgress = (progress: { ratio: number; message: string }) => void

/** Parts that follow each other, each with its share of the whole: `part(0.2)` takes the next fifth. */
export function progressInParts(onProgress: OnProgress): (share: number) => OnProgress {
  let done = 0
  return (share) => {
    const begin = done
    done += share
    return ({ ratio, message }) => onProgress({ ratio: begin + Math.min(ratio, 1) * share, message })
  }
}
