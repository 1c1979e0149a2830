import { deflateSync } from 'node:zlib'
import { assembled, stream } from './pdf.ts'

/** A picture on a page: a byte or, as a stencil, a bit a pixel. */
export interface PlacedPicture {
  width: number
  height: number
  pixels: Uint8Array
  /** From the unit square to the page, in points from its lower left corner, as the operator `cm` takes it. */
  matrix: readonly [number, number, number, number, number, number]
  stencil?: boolean
}

export interface ScannedPage {
  /** In points. */
  width: number
  height: number
  /** Clockwise, in degrees, as the page is to be shown. */
  rotate?: 0 | 90 | 180 | 270
  pictures: readonly PlacedPicture[]
  /** A line of Helvetica at the foot. */
  text?: string
}

/** A PDF of pages that are pictures. */
export function scannedPdf(pages: readonly ScannedPage[]): Buffer {
  const objects: string[] = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '',
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ]
  const add = (object: string): string => `${objects.push(object)} 0 R`
  const kids = pages.map(({ width, height, rotate = 0, pictures, text }) => {
    const names = pictures.map((picture, index) => `/I${index} ${add(pictureObject(picture))}`)
    const drawn = pictures.map(({ matrix }, index) => `q ${matrix.join(' ')} cm /I${index} Do Q`)
    const written = text === undefined ? [] : [`BT /F1 12 Tf 1 0 0 1 20 10 Tm (${text}) Tj ET`]
    const contents = add(stream([...drawn, ...written].join('\n')))
    return add(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${width} ${height}] /Rotate ${rotate} ` +
        `/Resources << /Font << /F1 3 0 R >> /XObject << ${names.join(' ')} >> >> /Contents ${contents} >>`,
    )
  })
  objects[1] = `<< /Type /Pages /Count ${kids.length} /Kids [${kids.join(' ')}] >>`
  return assembled(objects)
}

function pictureObject({ width, height, pixels, stencil }: PlacedPicture): string {
  const shape = `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /Filter /FlateDecode`
  const kind = stencil ? '/ImageMask true /BitsPerComponent 1' : '/ColorSpace /DeviceGray /BitsPerComponent 8'
  return stream(deflateSync(pixels).toString('latin1'), `${shape} ${kind}`)
}
