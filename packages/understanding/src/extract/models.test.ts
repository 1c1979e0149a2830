import { UnreadableFile, type Extraction } from '@medialog/application/ports/understanding'
import { afterAll, describe, expect, test } from 'vitest'
import { ExtractorPool } from '../pool/pool.ts'
import { readFixture, scratchFolder, sourceFile } from '../testing/fixtures.ts'

const pool = new ExtractorPool({ concurrency: 1, deadlineMs: 20_000 })
const folder = await scratchFolder()
afterAll(async () => {
  await pool.close()
  await folder.remove()
})

async function read(name: string, bytes: Uint8Array | string): Promise<Extraction | UnreadableFile> {
  const path = await folder.write(name, bytes)
  return pool.extract(sourceFile(path, Buffer.from(bytes))).then(
    ({ extraction }) => extraction,
    (error: unknown) => {
      if (error instanceof UnreadableFile) return error
      throw error
    },
  )
}

describe('STL', () => {
  const FACET =
    'facet normal 0 0 nan\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 2 0\nendloop\nendfacet\n'

  test('several solids; normals that are no numbers do not matter', async () => {
    const solids = `solid one\n${FACET}endsolid one\nsolid the other\n${FACET}endsolid the other\n`
    expect(await read('two.stl', solids)).toMatchObject({
      facts: {
        vertexCount: 3,
        triangleCount: 2,
        parts: ['one', 'the other'],
        dimensions: { x: 1, y: 2, z: 0 },
      },
    })
  })

  test('binary that begins with "solid"', async () => {
    const bytes = Buffer.from(await readFixture('3d/sample_binary.stl'))
    bytes.write('solid of another kind')
    expect(await read('solid.stl', bytes)).toMatchObject({ facts: { vertexCount: 8, triangleCount: 12 } })
  })

  test.each([
    ['a corner that is no number', `solid\n${FACET.replace('1 0 0', '1 x 0')}endsolid\n`],
    [
      'a facet of four corners',
      `solid\n${FACET.replace('vertex 1 0 0', 'vertex 1 0 0\nvertex 1 1 0')}endsolid\n`,
    ],
    ['an end that is missing', `solid\n${FACET}`],
    ['words of its own', `solid\n${FACET}lorem ipsum\nendsolid\n`],
    ['no facets', 'solid\nfacet\nendsolid\n'],
  ])('with %s', async (_, text) => {
    expect(await read('bad.stl', text)).toMatchObject({ reason: 'corrupted' })
  })

  test.each([
    ['a coordinate that is no number', (bytes: Buffer) => bytes.writeFloatLE(NaN, 84 + 50 + 12)],
    ['an infinite one', (bytes: Buffer) => bytes.writeFloatLE(Infinity, 84 + 50 + 12)],
    ['more facets stated than stored', (bytes: Buffer) => bytes.writeUInt32LE(4e9, 80)],
  ])('binary with %s', async (_, damage) => {
    const bytes = Buffer.from(await readFixture('3d/sample_binary.stl'))
    damage(bytes)
    expect(await read('bad.stl', bytes)).toMatchObject({ reason: 'corrupted' })
  })
})

describe('PLY', () => {
  const ply = (elements: string, data: string, format = 'ascii'): string =>
    `ply\nformat ${format} 1.0\n${elements}\nend_header\n${data}`
  const CORNERS = 'element vertex 4\nproperty float x\nproperty float y\nproperty float z\nproperty uchar red'
  const DATA = '0 0 0 9\n1 0 0 9\n1 1 0 9\n0 0 0 9\n'

  test('a cloud of points has no triangles', async () => {
    expect(await read('cloud.ply', ply(CORNERS, DATA))).toMatchObject({
      facts: { vertexCount: 3, triangleCount: 0, dimensions: { x: 1, y: 1, z: 0 } },
    })
  })

  test('strips of triangles, parted by -1', async () => {
    const strips = `${CORNERS}\nelement tristrips 1\nproperty list int int vertex_indices`
    expect(await read('strips.ply', ply(strips, `${DATA}8 0 1 2 3 -1 0 1 2\n`))).toMatchObject({
      facts: { triangleCount: 3 },
    })
  })

  test('binary with the high byte first', async () => {
    const start = Buffer.from(
      ply('element vertex 2\nproperty double x\nproperty short y\nproperty int8 z', '', 'binary_big_endian'),
    )
    const data = Buffer.alloc(22)
    data.writeDoubleBE(2.5, 11)
    data.writeInt16BE(-300, 19)
    data.writeInt8(7, 21)
    expect(await read('big.ply', Buffer.concat([start, data]))).toMatchObject({
      facts: { vertexCount: 2, dimensions: { x: 2.5, y: 300, z: 7 } },
    })
  })

  test.each([
    [
      'a face whose corner is missing',
      ply(`${CORNERS}\nelement face 1\nproperty list uchar int vertex_index`, `${DATA}3 0 1 4\n`),
    ],
    [
      'a face of two corners',
      ply(`${CORNERS}\nelement face 1\nproperty list uchar int vertex_index`, `${DATA}2 0 1\n`),
    ],
    ['a coordinate that is no number', ply(CORNERS, DATA.replace('1 1', '1 one'))],
    ['no coordinates', ply('element vertex 1\nproperty float w', '1\n')],
    ['no corners', ply('element vertex 0\nproperty float x', '')],
    ['a count beyond its data', ply(CORNERS.replace('4', '999999999999'), DATA)],
    ['parts without properties, beyond count', ply('element vertex 999999999999999', '')],
    ['an unknown type', ply(CORNERS.replace('uchar', 'quaternion'), DATA)],
    ['an unknown encoding', ply(CORNERS, DATA, 'zipped')],
    ['no end of its header', 'ply\nformat ascii 1.0\nelement vertex 1\n'],
    ['a list beyond its data', ply('element vertex 1\nproperty list int uchar x', '2000000000 1 2 3')],
  ])('with %s', async (_, text) => {
    expect(await read('bad.ply', text)).toMatchObject({ reason: 'corrupted' })
  })
})
