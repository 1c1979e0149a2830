/** An answer's text and its references, `[1]` the first source. */
export function piecesOf(text: string): (string | { source: number })[] {
  return text
    .split(/(\[\d+\])/)
    .filter((piece) => piece !== '')
    .map((piece) => {
      const number = /^\[(\d+)\]$/.exec(piece)?.[1]
      return number === undefined ? piece : { source: Number(number) }
    })
}
