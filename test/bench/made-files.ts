import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { crc32, deflateSync } from 'node:zlib'
import { plainDocx } from '@medialog/understanding/testing/docx'
import { plainPdf, type Line } from '@medialog/understanding/testing/pdf'

const CRANFIELD = fileURLToPath(new URL('../benchmarks/cranfield/cran.all.1400.xml', import.meta.url))
const LINES = 46
const LINE = 85

/** Files of a known size, written into a folder; their paths by name. */
export function makeFiles(folder: string): Record<'docx' | 'pdf' | 'longPdf' | 'image', string> {
  const sentences = prose()
  const lines = wrapped(sentences.join(' '))
  const page = (number: number): string[] => lines.slice(number * LINES, (number + 1) * LINES)
  const files = {
    docx: ['page.docx', plainDocx(sentences.slice(0, 24))],
    pdf: ['page.pdf', plainPdf([onPage(page(0))])],
    longPdf: ['book.pdf', plainPdf(Array.from({ length: 200 }, (_, number) => onPage(page(number))))],
    image: ['gradient.png', gradient(1600, 1200)],
  } as const
  return Object.fromEntries(
    Object.entries(files).map(([name, [filename, bytes]]) => {
      const path = join(folder, filename)
      writeFileSync(path, bytes)
      return [name, path]
    }),
  ) as Record<keyof typeof files, string>
}

/** Sentences of about twenty words, ASCII without brackets. */
function prose(): string[] {
  const abstracts = [...readFileSync(CRANFIELD, 'utf8').matchAll(/<text>(.*?)<\/text>/gs)]
  return abstracts
    .flatMap(([, text]) => text!.replaceAll(/[^\x20-\x7e]+|[()\\<>&]/g, ' ').split(/(?<=\.)\s+/))
    .map((sentence) => sentence.replaceAll(/\s+/g, ' ').trim())
    .filter((sentence) => sentence.length > 40)
}

function wrapped(text: string): string[] {
  const lines = ['']
  for (const word of text.split(' ')) {
    const last = lines.at(-1)!
    if (last.length + word.length < LINE) lines[lines.length - 1] = `${last} ${word}`.trim()
    else lines.push(word)
  }
  return lines
}

const onPage = (lines: readonly string[]): Line[] => lines.map((line, at) => [800 - 16 * at, line])

/** A PNG of colours that run into each other, so that it is neither empty nor hard to read. */
function gradient(width: number, height: number): Buffer {
  const rows = Buffer.alloc(height * (1 + 3 * width))
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const at = y * (1 + 3 * width) + 1 + 3 * x
      rows[at] = (255 * x) / width
      rows[at + 1] = (255 * y) / height
      rows[at + 2] = (x ^ y) & 255
    }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2], 8)
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
    const framed = Buffer.alloc(body.length + 8)
    framed.writeUInt32BE(data.length, 0)
    framed.set(body, 4)
    framed.writeUInt32BE(crc32(body), body.length + 4)
    return framed
  }
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows, { level: 6 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}
