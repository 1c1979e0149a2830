interface RawPicture {
  data: Uint8Array
  info: { width: number; height: number; channels: 3 }
}

/** Something like a photograph, without a font or a sample: soft hills of light, and grain. The same each time. */
export function noisyPicture(width: number, height: number): RawPicture {
  const data = new Uint8Array(3 * width * height)
  let state = 1
  const random = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
    return (state >>> 0) / 2 ** 32
  }
  for (let y = 0, at = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      for (let channel = 0; channel < 3; channel++, at++) {
        const hills = Math.sin(x / 37 + channel) + Math.cos(y / 53 - channel) + Math.sin((x + 2 * y) / 91)
        data[at] = Math.max(0, Math.min(255, 120 + 35 * hills + 24 * (random() - 0.5)))
      }
  return { data, info: { width, height, channels: 3 } }
}
