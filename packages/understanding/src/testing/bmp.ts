type Rgb = readonly [red: number, green: number, blue: number]

/** A bitmap with a header of 40 bytes whose rows, top first, are of one colour each. */
export function bitmap({ bits, width, rows }: { bits: number; width: number; rows: readonly Rgb[] }): Buffer {
  const colors = [...new Map(rows.map((row) => [row.join(), row])).values()]
  const palette = bits <= 8 ? Buffer.from(colors.flatMap(([r, g, b]) => [b, g, r, 0])) : Buffer.alloc(0)
  const stride = Math.ceil((width * bits) / 32) * 4
  const header = Buffer.alloc(54)
  header.write('BM')
  header.writeUInt32LE(54 + palette.length, 10)
  header.writeUInt32LE(40, 14)
  header.writeInt32LE(width, 18)
  header.writeInt32LE(rows.length, 22)
  header.writeUInt16LE(1, 26)
  header.writeUInt16LE(bits, 28)
  header.writeUInt32LE(bits <= 8 ? colors.length : 0, 46)
  const pixels = rows.toReversed().map((row) => {
    const line = Buffer.alloc(stride)
    const value = pixelOf(
      row,
      bits,
      colors.findIndex((color) => color.join() === row.join()),
    )
    for (let x = 0; x < width; x++) {
      if (bits >= 8) line.writeUIntLE(value, (x * bits) / 8, bits / 8)
      else line[Math.floor((x * bits) / 8)]! |= value << (8 - bits - ((x * bits) % 8))
    }
    return line
  })
  return Buffer.concat([header, palette, ...pixels])
}

function pixelOf([r, g, b]: Rgb, bits: number, index: number): number {
  if (bits <= 8) return index
  return bits === 16 ? ((r >> 3) << 10) | ((g >> 3) << 5) | (b >> 3) : (r << 16) | (g << 8) | b
}
