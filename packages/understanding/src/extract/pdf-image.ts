import type { GreyPicture } from '../ocr/grey-picture.ts'

/** A decoded picture, as pdf.js hands it out. */
export interface PdfImage {
  width: number
  height: number
  /** 1: a bit a pixel, rows begin at a byte; 2: red, green, blue; 3: and alpha. */
  kind?: number
  data: Uint8Array | Uint8ClampedArray
  /** Whether it is a stencil, a bit a pixel: 0 is ink. */
  mask?: boolean
}

const RGBA = 3

/** As it looks on white paper. */
export function greyOf({ width, height, kind, data, mask }: PdfImage): GreyPicture {
  const pixels = new Uint8Array(width * height).fill(255)
  if (mask || kind === 1) addBits(data, width, pixels)
  else addColors(data, kind === RGBA ? 4 : 3, pixels)
  return { width, height, pixels }
}

function addBits(data: PdfImage['data'], width: number, pixels: Uint8Array): void {
  const stride = Math.ceil(width / 8)
  const rows = Math.min(Math.floor(data.length / stride), pixels.length / width)
  for (let y = 0; y < rows; y++)
    for (let x = 0; x < width; x++)
      if ((data[y * stride + (x >> 3)]! & (0x80 >> (x & 7))) === 0) pixels[y * width + x] = 0
}

/** Luma after ITU-R BT.601. */
function addColors(data: PdfImage['data'], channels: 3 | 4, pixels: Uint8Array): void {
  const count = Math.min(Math.floor(data.length / channels), pixels.length)
  for (let pixel = 0, at = 0; pixel < count; pixel++, at += channels) {
    const luma = 0.299 * data[at]! + 0.587 * data[at + 1]! + 0.114 * data[at + 2]!
    const alpha = channels === 4 ? data[at + 3]! / 255 : 1
    pixels[pixel] = Math.round(alpha * luma + (1 - alpha) * 255)
  }
}
