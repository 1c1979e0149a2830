import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const execute = promisify(execFile)
const run = async (program: string, ...words: string[]): Promise<string> =>
  (await execute(program, words, { maxBuffer: 2 ** 28 })).stdout

/** Each program that is compared with, and the package that has it. */
export const PROGRAMS = {
  pdftotext: 'poppler-utils',
  pdfinfo: 'poppler-utils',
  assimp: 'assimp-utils',
  ogginfo: 'vorbis-tools',
  exiftool: 'libimage-exiftool-perl',
} as const

export async function missingPrograms(): Promise<string[]> {
  const missing: string[] = []
  for (const name of Object.keys(PROGRAMS) as (keyof typeof PROGRAMS)[])
    await run('which', name).catch(() => missing.push(`${name} (${PROGRAMS[name]})`))
  return missing
}

export const pdfText = (path: string): Promise<string> => run('pdftotext', path, '-')

export const pdfPages = async (path: string): Promise<number> =>
  Number(/^Pages:\s+(\d+)$/m.exec(await run('pdfinfo', path))![1])

export async function sound(path: string) {
  const said = await run('ogginfo', path)
  const [, minutes, seconds] = /Playback length: (\d+)m:([\d.]+)s/.exec(said)!
  return {
    duration: 60 * Number(minutes) + Number(seconds),
    sampleRate: Number(/^Rate: (\d+)$/m.exec(said)![1]),
    channels: Number(/^Channels: (\d+)$/m.exec(said)![1]),
  }
}

export async function picture(path: string) {
  const [{ ImageWidth: width, ImageHeight: height }] = JSON.parse(
    await run('exiftool', '-json', '-ImageWidth', '-ImageHeight', path),
  ) as [{ ImageWidth: number; ImageHeight: number }]
  return { width, height }
}

/**
 * As assimp exports it, with each mesh at each place: `assimp info` leaves out transformations of parent nodes, and counts
 * a mesh that is placed several times once. Null for a model that assimp does not read, or one with points or lines.
 */
export async function model(path: string) {
  const written = join(await mkdtemp(join(tmpdir(), 'medialog-real-')), 'model.obj')
  try {
    await run('assimp', 'export', path, written)
    const lines = (await readFile(written, 'utf8')).split('\n').map((line) => line.split(' '))
    if (lines.some(([what]) => what === 'l' || what === 'p')) return null
    const corners = lines.filter(([what]) => what === 'v').map(([, ...at]) => at.slice(0, 3).map(Number))
    const faces = lines.filter(([what]) => what === 'f').map((words) => words.filter(Boolean).length - 1)
    if (faces.length === 0) return null
    return {
      triangles: faces.reduce((sum, sides) => sum + sides - 2, 0),
      dimensions: [0, 1, 2].map((axis) => {
        const along = corners.map((corner) => corner[axis]!)
        return along.reduce((a, b) => Math.max(a, b)) - along.reduce((a, b) => Math.min(a, b))
      }),
    }
  } catch {
    return null
  } finally {
    await rm(dirname(written), { recursive: true })
  }
}
