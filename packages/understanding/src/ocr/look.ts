import type { GreyPicture } from './grey-picture.ts'
import { textLines, type TextLines } from './text-lines.ts'

/** A picture that can be had at any size. */
export interface ReadablePicture {
  /** Pixels, as shown. */
  width: number
  height: number
  /** A copy `scale` times as wide and high. */
  grey(scale: number): Promise<GreyPicture>
}

/** What a small copy shows of a picture's writing. */
export interface Looked {
  copy: GreyPicture
  /** How many times as wide as the picture the copy is, at most 1. */
  scale: number
  lines: TextLines
}

const SIDE = 1200

/** Looks for writing in a copy at most 1200 pixels wide and high. */
export async function lookForText(picture: ReadablePicture): Promise<Looked> {
  const scale = Math.min(1, SIDE / Math.max(picture.width, picture.height))
  const copy = await picture.grey(scale)
  return { copy, scale, lines: textLines(copy) }
}
