/** Far more than any answer has that can be used: 96 vectors of 4096 numbers are 9 MB. */
const LONGEST_ANSWER = 32_000_000

/**
 * Fetches without following anybody elsewhere, where key and content would be sent along, and reads no more than an answer
 * can have.
 */
export const fetchAnswer: typeof fetch = async (input, init) => {
  const response = await fetch(input, { ...init, redirect: 'error' })
  if (!response.body) return response
  let left = LONGEST_ANSWER
  const limited = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(piece, controller) {
        left -= piece.byteLength
        if (left < 0) controller.error(new RangeError('the answer is too long'))
        else controller.enqueue(piece)
      },
    }),
  )
  const { status, statusText, headers } = response
  return new Response(limited, { status, statusText, headers })
}
