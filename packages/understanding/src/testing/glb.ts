/** A binary glTF of one triangle, its JSON and its buffer as wanted. */
export function triangleGlb({
  json = {},
  floats = [0, 0, 0, 1, 0, 0, 0, 1, 0],
}: {
  json?: object
  floats?: number[]
}): Buffer {
  const gltf = {
    asset: { version: '2.0' },
    scenes: [{ nodes: [0] }],
    nodes: [{ mesh: 0 }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }],
    accessors: [{ bufferView: 0, componentType: 5126, count: 3, type: 'VEC3' }],
    bufferViews: [{ buffer: 0, byteLength: 36 }],
    buffers: [{ byteLength: 36 }],
    ...json,
  }
  const text = JSON.stringify(gltf)
  const chunks = [
    chunk('JSON', Buffer.from(text.padEnd(Math.ceil(text.length / 4) * 4))),
    chunk('BIN\0', Buffer.from(Float32Array.from(floats).buffer)),
  ]
  const length = 12 + chunks.reduce((sum, { length }) => sum + length, 0)
  const header = Buffer.concat([Buffer.from('glTF'), Buffer.alloc(8)])
  header.writeUInt32LE(2, 4)
  header.writeUInt32LE(length, 8)
  return Buffer.concat([header, ...chunks])
}

function chunk(type: string, data: Buffer): Buffer {
  const head = Buffer.alloc(8)
  head.writeUInt32LE(data.length)
  head.write(type, 4, 'latin1')
  return Buffer.concat([head, data])
}
