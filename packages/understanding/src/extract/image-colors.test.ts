import { expect, test } from 'vitest'
import { colorsOf } from './image-colors.ts'

const plain = (hex: string): Uint8Array => Uint8Array.from([...Buffer.from(hex, 'hex'), 255])
const nameOf = (hex: string): string => colorsOf(plain(hex))[0]!.name

test.each([
  ['black', '000000 0A0A0A 1A1A1A 202020'],
  ['dark gray', '2B2A2A 303030 3A3A3A 555555 282C34 2B2A35'],
  ['gray', '696969 808080 A9A9A9 708090 778899'],
  ['light gray', 'C0C0C0 D3D3D3 DCDCDC C0C0B8'],
  ['white', 'F5F5F5 FFFFFF F8F8FF FBFAF6 F4F1E8'],
  ['red', 'FF0000 C83232 DC143C B22222 A52A2A'],
  ['dark red', '8B0000 800000 3A0A0A'],
  ['brown', '8B4513 A0522D 4A3728 3D2314'],
  ['orange', 'FFA500 FF8C00 D2691E'],
  ['yellow', 'FFFF00 FFD700 F0E68C'],
  ['beige', 'F5F5DC FAEBD7 D2B48C DEB887'],
  ['olive', '808000 556B2F'],
  ['green', '00FF00 32CD32 228B22 008000 2E8B57'],
  ['light green', '90EE90 98FB98 8FBC8F'],
  ['dark green', '006400 14361C'],
  ['teal', '008080 20B2AA 2F4F4F'],
  ['cyan', '00FFFF 00CED1 40E0D0'],
  ['light blue', 'ADD8E6 87CEEB'],
  ['blue', '0000FF 2850B4 1E90FF 4169E1 4682B4'],
  ['navy', '000080 191970'],
  ['purple', '800080 4B0082 8A2BE2'],
  ['magenta', 'FF00FF C71585'],
  ['pink', 'FFC0CB FF69B4'],
  ['lavender', 'E6E6FA D8BFD8'],
])('%s: %s', (name, colors) => {
  expect(colors.split(' ').map((hex) => [hex, nameOf(hex)])).toEqual(
    colors.split(' ').map((hex) => [hex, name]),
  )
})

test('the value that occurs most stands for its likes, what cannot be seen does not count', () => {
  const pixels = ['C83232', 'C83232', 'C93333', '2850B4'].map(plain)
  const clear = Uint8Array.from([0, 255, 0, 0])
  expect(colorsOf(Buffer.concat([...pixels, clear, clear]))).toEqual([
    { hex: '#C83232', name: 'red', share: 0.75 },
    { hex: '#2850B4', name: 'blue', share: 0.25 },
  ])
  expect(colorsOf(clear)).toEqual([])
})
