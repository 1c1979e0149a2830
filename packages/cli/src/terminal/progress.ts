const EVERY_MS = 80
const CLEAR_LINE = '\r\u001b[K'

/** One line at the bottom of a terminal that is drawn over; nothing at all where the stream is no terminal. */
export interface ProgressLine {
  /** Draws soon; of many calls in a short time the last one counts. */
  show(draw: () => string): void
  /** Takes the line away, so that other lines can be written above; the next `show` draws it again. */
  clear(): void
}

export function progressLine(stream: NodeJS.WriteStream): ProgressLine {
  if (!stream.isTTY) return { show() {}, clear() {} }
  let timer: NodeJS.Timeout | undefined
  let latest = () => ''
  let isShown = false
  let drawnAt = 0
  const draw = () => {
    timer = undefined
    drawnAt = Date.now()
    stream.write(CLEAR_LINE + latest())
    isShown = true
  }
  return {
    show(text) {
      latest = text
      timer ??= setTimeout(draw, Math.max(0, drawnAt + EVERY_MS - Date.now()))
    },
    clear() {
      clearTimeout(timer)
      timer = undefined
      if (isShown) stream.write(CLEAR_LINE)
      isShown = false
      drawnAt = 0
    },
  }
}
