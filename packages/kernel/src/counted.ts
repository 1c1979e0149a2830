/** `1 item`, `2,000 items`; `plural` where it is not the noun with an s. */
export const counted = (number: number, noun: string, plural = `${noun}s`): string =>
  `${number.toLocaleString('en-US')} ${number === 1 ? noun : plural}`
