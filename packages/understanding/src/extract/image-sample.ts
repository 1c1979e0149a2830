/** Print of 10 points on a page of A4 is still read at it. */
const SIDE = 2400

/** One pixel as `0xRRGGBBAA`. */
export type PixelAt = (x: number, y: number) => number

/** A copy at most `side` pixels wide and high, RGBA, taken without blending neighbours: no larger one is ever built. */
export function sampled(
  width: number,
  height: number,
  pixelAt: PixelAt,
  side = SIDE,
): { rgba: Uint8Array; width: number; height: number; channels: 4 } {
  const scale = Math.max(1, width / side, height / side)
  const [across, down] = [Math.max(1, Math.round(width / scale)), Math.max(1, Math.round(height / scale))]
  const rgba = Buffer.alloc(4 * across * down)
  for (let y = 0; y < down; y++)
    for (let x = 0; x < across; x++) {
      const pixel = pixelAt(centre(x, across, width), centre(y, down, height))
      rgba.writeUInt32BE(pixel >>> 0, 4 * (y * across + x))
    }
  return { rgba, width: across, height: down, channels: 4 }
}

const centre = (index: number, of: number, size: number): number => Math.floor(((index + 0.5) / of) * size)
