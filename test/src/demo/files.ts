import { basename, join } from 'node:path'
import { statSync } from 'node:fs'

const FIXTURES = new URL('../../fixtures/', import.meta.url).pathname

/** Texts with something to find in them. */
const NOTES = ['demo/whales-asleep.md', 'demo/galloping-gertie.txt', 'demo/hangul.md', 'demo/kimchi.txt']

/** One or two of every family. */
const SAMPLES = [
  'documents/sample.pdf',
  'documents/sample.docx',
  'data/sample.html',
  'data/sample.json',
  'spreadsheet/sample.csv',
  'images/sample.png',
  'images/sample.jpg',
  'audio/sample.mp3',
  'audio/sample.wav',
  '3d/sample.glb',
  '3d/sample.obj',
]

/** The files that the demo uploads, as the command line plans them. */
export const demoFiles = () =>
  [...NOTES, ...SAMPLES].map((shown) => {
    const path = join(FIXTURES, shown)
    return { path, shown, filename: basename(path), size: statSync(path).size, named: true }
  })
