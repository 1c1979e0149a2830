import { afterAll, describe, expect, test } from 'vitest'
import { formatRow } from '../formats.ts'
import { readFixture } from '../testing/fixtures.ts'
import { binaryFbx, type TestNode } from '../testing/fbx.ts'
import { startReading } from '../testing/reading.ts'
import { storedZip } from '../testing/zip.ts'

const reading = await startReading()
const { read } = reading
afterAll(() => reading.close())

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

describe('3MF', () => {
  const MODEL = '3D/3dmodel.model'
  const model = (resources: string, build = '<item objectid="1"/>'): string =>
    `<model unit="millimeter" xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02" xmlns:p="p">` +
    `<resources>${resources}</resources><build>${build}</build></model>`
  const MESH =
    '<mesh><vertices><vertex x="0" y="0" z="0"/><vertex x="1" y="0" z="0"/><vertex x="0" y="2" z="0"/></vertices>' +
    '<triangles><triangle v1="0" v2="1" v3="2"/></triangles></mesh>'
  const object = (id: number, inside: string, attributes = ''): string =>
    `<object id="${id}" name="part ${id}" ${attributes}>${inside}</object>`
  const package_ = (main: string, more: Record<string, string> = {}): Buffer =>
    storedZip({ [MODEL]: main, ...more })

  test('components and items in their places, each time they are shown', async () => {
    const components =
      '<components><component objectid="1"/><component objectid="1" transform="0 1 0 -1 0 0 0 0 1 10 0 5"/></components>'
    const main = model(
      object(1, MESH) + object(2, components),
      '<item objectid="2" transform="2 0 0 0 2 0 0 0 2 0 0 0"/>',
    )
    // Turned by a right angle the mesh reaches from 8 to 10 along x and from 0 to 1 along y; then all is twice as large.
    expect(await read('placed.3mf', package_(main))).toMatchObject({
      facts: { vertexCount: 6, triangleCount: 2, parts: ['part 1'], dimensions: { x: 20, y: 4, z: 10 } },
    })
  })

  test('an object of another model in the package', async () => {
    const main = model(
      object(1, '<components><component objectid="7" p:path="/3D/other.model"/></components>'),
    )
    const archive = package_(main, { '3D/other.model': model(object(7, MESH), '') })
    expect(await read('production.3mf', archive)).toMatchObject({
      facts: { vertexCount: 3, parts: ['part 7'] },
    })
  })

  test('materials in use: those of triangles, and the object’s own', async () => {
    const bases =
      '<basematerials id="5"><base name="oak"/><base name="glass"/><base name="unused"/></basematerials>'
    const painted = MESH.replace('v3="2"/>', 'v3="2"/><triangle v1="0" v2="1" v3="2" pid="5" p1="1"/>')
    const main = model(bases + object(1, painted, 'pid="5" pindex="0"'))
    expect(await read('painted.3mf', package_(main))).toMatchObject({
      facts: { materialCount: 2, materials: ['oak', 'glass'], triangleCount: 2 },
    })
  })

  test('colours of materials, as far as they are stated and can be read', async () => {
    const bases =
      '<basematerials id="5"><base name="oak" displaycolor="#8A5A2BFF"/><base name="glass" displaycolor="#8a5a2b"/>' +
      '<base name="odd" displaycolor="brown"/></basematerials>'
    const painted = ['0', '1', '2'].map((index) => `<triangle v1="0" v2="1" v3="2" pid="5" p1="${index}"/>`)
    const main = model(bases + object(1, MESH.replace('</triangles>', `${painted.join('')}</triangles>`)))
    expect(await read('painted.3mf', package_(main))).toMatchObject({
      facts: { materialCount: 3, colors: [{ hex: '#8A5A2B', name: 'brown' }] },
    })
  })

  test('a model elsewhere in the package, and one that builds nothing', async () => {
    const relations =
      '<Relationships><Relationship Target="/3D/main.model" Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"/></Relationships>'
    const archive = storedZip({ '_rels/.rels': relations, '3D/main.model': model(object(1, MESH), '') })
    expect(await read('named.3mf', archive)).toMatchObject({ facts: { triangleCount: 1 } })
  })

  test.each([
    ['an object that is missing', model('')],
    ['a component of itself', model(object(1, '<components><component objectid="1"/></components>'))],
    ['a corner that is missing', model(object(1, MESH.replace('v3="2"', 'v3="3"')))],
    ['a negative corner', model(object(1, MESH.replace('v3="2"', 'v3="-1"')))],
    ['a coordinate that is no number', model(object(1, MESH.replace('x="1"', 'x="one"')))],
    ['a coordinate too few', model(object(1, MESH.replace('x="1"', '')))],
    ['a place that is none', model(object(1, MESH), '<item objectid="1" transform="1 2 3"/>')],
    ['no geometry', model(object(1, ''))],
    ['XML that is broken', '<model><resources>'],
  ])('with %s', async (_, main) => {
    expect(await read('bad.3mf', package_(main))).toMatchObject({ reason: 'corrupted' })
  })

  test('its archive passes the budget before it is read', () => {
    expect(formatRow('3mf').zip).toBe(true)
  })

  test('without a model in it', async () => {
    expect(await read('bad.3mf', storedZip({ '3D/picture.png': 'x' }))).toMatchObject({ reason: 'corrupted' })
  })

  test('objects shown again and again within each other are too large', async () => {
    const layers = Array.from({ length: 30 }, (_, n) =>
      object(n + 2, `<components>${`<component objectid="${n + 1}"/>`.repeat(10)}</components>`),
    )
    const main = model(object(1, MESH) + layers.join(''), '<item objectid="31"/>')
    expect(await read('bomb.3mf', package_(main))).toMatchObject({ reason: 'too-large' })
  })
})

describe('COLLADA', () => {
  const source = (numbers: string, count: number, attributes = ''): string =>
    `<source id="p"><float_array id="a" count="99">${numbers}</float_array><technique_common>` +
    `<accessor source="#a" count="${count}" stride="3" ${attributes}/></technique_common></source>` +
    '<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>'
  const POINTS = source('0 0 0 1 0 0 1 2 0 0 2 0', 4)
  const VERTEX = '<input semantic="VERTEX" source="#v" offset="0"/>'
  const QUAD = `${POINTS}<polylist material="m" count="1">${VERTEX}<vcount>4</vcount><p>0 1 2 3</p></polylist>`
  const collada = (mesh: string, nodes = '<node><instance_geometry url="#g"/></node>', more = ''): string =>
    `<?xml version="1.0"?><COLLADA version="1.4.1"><library_geometries><geometry id="g" name="shape"><mesh>${mesh}</mesh>` +
    `</geometry></library_geometries>${more}<library_visual_scenes><visual_scene id="s">${nodes}</visual_scene>` +
    '</library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>'

  test('nodes in nodes, moved, turned and scaled', async () => {
    const nodes =
      '<node name="outer"><translate>10 0 0</translate><rotate>0 0 1 90</rotate><node name="inner"><scale>2 3 1</scale>' +
      '<instance_geometry url="#g"/></node></node><node name="still"><matrix>1 0 0 0 0 1 0 0 0 0 1 7 0 0 0 1</matrix>' +
      '<instance_geometry url="#g"/></node>'
    // Scaled to 2 by 6, turned to -6 to 0 by 0 to 2, moved to 4 to 10; the other stands at 0 to 1 by 0 to 2, 7 above.
    expect(await read('nodes.dae', collada(QUAD, nodes))).toMatchObject({
      facts: {
        vertexCount: 8,
        triangleCount: 4,
        parts: ['inner', 'still'],
        dimensions: { x: 10, y: 2, z: 7 },
      },
    })
  })

  test.each([
    ['triangles', `<triangles count="2">${VERTEX}<p>0 1 2 0 2 3</p></triangles>`, 2],
    [
      'polygons, one with a hole',
      `<polygons>${VERTEX}<p>0 1 2</p><ph><p>0 1 2 3</p><h>0 1 2</h></ph></polygons>`,
      3,
    ],
    ['strips', `<tristrips>${VERTEX}<p>0 1 2 3</p><p>0 1 2</p></tristrips>`, 3],
    ['fans', `<trifans>${VERTEX}<p>0 1 2 3</p></trifans>`, 2],
    ['lines', `<lines>${VERTEX}<p>0 1 1 2</p></lines>`, 0],
    [
      'several inputs',
      `<triangles>${VERTEX}<input semantic="NORMAL" source="#n" offset="1"/><p>0 9 1 9 2 9</p></triangles>`,
      1,
    ],
  ])('%s', async (_, faces, triangleCount) => {
    expect(await read('faces.dae', collada(POINTS + faces))).toMatchObject({
      facts: { vertexCount: 4, triangleCount },
    })
  })

  test('skins, nodes of the library, materials by their symbols', async () => {
    const library =
      '<library_controllers><controller id="c"><skin source="#g"/></controller></library_controllers>' +
      '<library_materials><material id="x" name="oak"/><material id="y" name="unused"/></library_materials>' +
      '<library_nodes><node id="n" name="stored"><instance_controller url="#c"><bind_material><technique_common>' +
      '<instance_material symbol="m" target="#x"/><instance_material symbol="other" target="#y"/>' +
      '</technique_common></bind_material></instance_controller></node></library_nodes>'
    const nodes = '<node><instance_node url="#n"/><instance_node url="http://127.0.0.1:9/x.dae#n"/></node>'
    expect(await read('library.dae', collada(QUAD, nodes, library))).toMatchObject({
      facts: { triangleCount: 2, materialCount: 1, materials: ['oak'], parts: ['stored'] },
    })
  })

  test('the diffuse colours of effects; those of pictures are not known', async () => {
    const effect = (id: string, diffuse: string): string =>
      `<effect id="${id}"><profile_COMMON><technique><phong><diffuse>${diffuse}</diffuse></phong></technique></profile_COMMON></effect>`
    const library =
      `<library_effects>${effect('e', '<color>0.2 0.4 1.5 1</color>')}${effect('f', '<texture texture="t"/>')}</library_effects>` +
      '<library_materials><material id="x" name="sea"><instance_effect url="#e"/></material>' +
      '<material id="y" name="map"><instance_effect url="#f"/></material></library_materials>'
    const bound = ['x', 'y'].map((id) => `<instance_material symbol="m" target="#${id}"/>`).join('')
    const nodes = `<node><instance_geometry url="#g"><bind_material><technique_common>${bound}</technique_common></bind_material></instance_geometry></node>`
    expect(await read('colours.dae', collada(QUAD, nodes, library))).toMatchObject({
      facts: { materials: ['sea', 'map'], colors: [{ hex: '#3366FF', name: 'blue' }] },
    })
  })

  test('numbers with commas, as some exporters write them', async () => {
    const nodes = '<node><scale>1,5 1 1</scale><instance_geometry url="#g"/></node>'
    expect(await read('commas.dae', collada(QUAD, nodes))).toMatchObject({
      facts: { dimensions: { x: 1.5, y: 2 } },
    })
  })

  test('geometries without a scene', async () => {
    const text = collada(QUAD).replace(/<library_visual_scenes>.*<\/scene>/, '')
    expect(await read('shapes.dae', text)).toMatchObject({ facts: { triangleCount: 2, parts: ['shape'] } })
  })

  test.each([
    ['a corner that is missing', collada(QUAD.replace('2 3</p>', '2 4</p>'))],
    ['corners fewer than stated', collada(QUAD.replace('count="4"', 'count="5"'))],
    ['faces that do not add up', collada(QUAD.replace('<vcount>4', '<vcount>3'))],
    ['a face of two corners', collada(QUAD.replace('<vcount>4', '<vcount>2 2'))],
    ['a coordinate that is no number', collada(QUAD.replace('1 2 0', '1 two 0'))],
    ['no corners', collada(QUAD.replace('POSITION', 'NORMAL'))],
    ['half a triangle', collada(`${POINTS}<triangles>${VERTEX}<p>0 1 2 3</p></triangles>`)],
    ['a shape that is missing', collada(QUAD, '<node><instance_geometry url="#other"/></node>')],
    [
      'a place that is none',
      collada(QUAD, '<node><translate>1 2</translate><instance_geometry url="#g"/></node>'),
    ],
    ['a node inside itself', collada(QUAD, '<node id="n"><instance_node url="#n"/></node>')],
    ['no geometry', collada(QUAD, '<node/>')],
  ])('with %s', async (_, text) => {
    expect(await read('bad.dae', text)).toMatchObject({ reason: 'corrupted' })
  })

  test('entities are not expanded', async () => {
    const laughs = '<!DOCTYPE COLLADA [<!ENTITY a "0 0 0 "><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
    const text = collada(QUAD.replace('0 0 0 1', '&b; 1')).replace('<COLLADA', `${laughs}<COLLADA`)
    expect(await read('laughs.dae', text)).toMatchObject({ reason: 'corrupted' })
  })
})

describe('FBX', () => {
  const QUAD = 'Vertices: *12 {\n a: 0,0,0,1,0,0,\n1,2,0,0,2,0\n}\nPolygonVertexIndex: *4 { a: 0,1,2,-4 }'
  const fbx = (objects: string, connections: readonly (readonly [string, string])[]): string =>
    '; FBX 7.4.0 project file\nFBXHeaderExtension:  {\n\tSceneInfo: "a", "b" {\nMetaData:  {\nTitle: "Plan"\nAuthor: "Hong Gildong"\n}\n}\n}\n' +
    `Objects:  {\n${objects}\n}\nConnections:  {\n${connections.map(([a, b]) => `\t;a comment { \n\tC: "OO",${a},${b}`).join('\n')}\n}\n`
  const geometry = `Geometry: 1, "Geometry::", "Mesh" {\n${QUAD}\n}\n`
  const model = (id: number, ...properties: string[]): string =>
    `Model: ${id}, "Model::model ${id}", "Mesh" {\nProperties70:  {\n${properties.map((text) => `P: ${text}\n`).join('')}}\nShading: Y\n}\n`
  const lcl = (name: string, ...xyz: number[]): string => `"${name}", "${name}", "", "A",${xyz.join()}`

  test('models in models, moved, turned and scaled; the shape’s own place stays with it', async () => {
    const objects =
      geometry +
      model(10, lcl('Lcl Translation', 10, 0, 0), lcl('Lcl Rotation', 0, 0, 90)) +
      model(11, lcl('Lcl Scaling', 2, 3, 1), lcl('GeometricTranslation', 0, 0, 5)) +
      model(12)
    const text = fbx(objects, [
      ['10', '0'],
      ['11', '10'],
      ['1', '11'],
      ['12', '11'],
      ['1', '12'],
    ])
    // Both are scaled to 2 by 6 and turned to 6 by 2; the second has not moved up by 5.
    expect(await read('placed.fbx', text)).toMatchObject({
      title: 'Plan',
      author: 'Hong Gildong',
      facts: {
        vertexCount: 8,
        triangleCount: 4,
        parts: ['model 11', 'model 12'],
        dimensions: { x: 6, y: 2, z: 5 },
      },
    })
  })

  test('turning in another order, around a pivot, before and after', async () => {
    const turned = (...properties: string[]): Promise<unknown> =>
      read('turned.fbx', fbx(geometry + model(10, ...properties), [['1', '10']]))
    const angles = lcl('Lcl Rotation', 90, 90, 0)
    // x first: (x, y) goes to (x, 0, y), then to (y, 0, -x); y first: to (0, y, -x), then to (0, x, y).
    expect(await turned(angles)).toMatchObject({ facts: { dimensions: { x: 2, y: 0, z: 1 } } })
    expect(await turned(angles, '"RotationOrder", "enum", "", "",3')).toMatchObject({
      facts: { dimensions: { x: 0, y: 1, z: 2 } },
    })
    const undone = [
      lcl('PreRotation', 0, 0, 90),
      lcl('PostRotation', 0, 0, 90),
      lcl('RotationPivot', 3, 4, 5),
    ]
    expect(await turned(...undone)).toMatchObject({ facts: { dimensions: { x: 1, y: 2, z: 0 } } })
  })

  test('FBX 6: shapes inside models, connected by their names', async () => {
    const text =
      '; FBX 6.1.0 project file\nObjects:  {\nModel: "Model::Box", "Mesh" {\nProperties60:  {\nProperty: "Lcl Scaling", "Lcl Scaling", "A+",3,1,1\n}\n' +
      'Vertices: 0,0,0,1,0,0\n,1,2,0,0,2,0\nPolygonVertexIndex: 0,1,2,-4\n}\nMaterial: "Material::oak", "" {\n}\n}\n' +
      'Connections:  {\nConnect: "OO", "Model::Box", "Model::Scene"\nConnect: "OO", "Material::oak", "Model::Box"\n}\n'
    expect(await read('old.fbx', text)).toMatchObject({
      facts: {
        vertexCount: 4,
        triangleCount: 2,
        materials: ['oak'],
        parts: ['Box'],
        dimensions: { x: 3, y: 2, z: 0 },
      },
    })
  })

  test('values that start on the line after their name', async () => {
    const onItsOwn = geometry.replaceAll('a: ', 'a: \n\t\t')
    expect(onItsOwn).not.toBe(geometry)
    const text = fbx(`${onItsOwn}Empty: \n; a comment\nShading: T\n${model(10)}`, [['1', '10']])
    expect(await read('blender.fbx', text)).toMatchObject({ facts: { vertexCount: 4, triangleCount: 2 } })
  })

  test('a version that is too old is named', async () => {
    const text =
      '; FBX 5.8.0 project file\nFBXHeaderExtension:  {\nFBXVersion: 5800\n}\nModel: "Model::Box" {\n}\n'
    expect(await read('old.fbx', text)).toMatchObject({
      reason: 'corrupted',
      message: 'The model is of FBX 5.8; only FBX 6 and 7 are read.',
    })
  })

  test.each([
    ['a corner that is missing', fbx(geometry.replace('-4', '-5') + model(10), [['1', '10']])],
    ['a face that does not end', fbx(geometry.replace('-4', '3') + model(10), [['1', '10']])],
    ['half a corner', fbx(geometry.replace('2,0\n', '2\n') + model(10), [['1', '10']])],
    ['a place that is none', fbx(geometry + model(10, '"Lcl Scaling", "", "", "",x,1,1'), [['1', '10']])],
    [
      'models inside each other',
      fbx(geometry + model(10) + model(11), [
        ['1', '10'],
        ['10', '11'],
        ['11', '10'],
      ]),
    ],
    ['shapes that nothing shows', fbx(geometry, [])],
    [
      'a brace too few',
      fbx(geometry + model(10), [['1', '10']])
        .trimEnd()
        .slice(0, -1),
    ],
    ['a brace too many', `${fbx(geometry + model(10), [['1', '10']])}}`],
    ['a quote that does not end', fbx(geometry + model(10), [['1', '10']]).replace('"Mesh"', '"Mesh')],
    ['parts in parts without end', `; FBX 7.4.0\n${'a: {\n'.repeat(1000)}`],
  ])('with %s', async (_, text) => {
    expect(await read('bad.fbx', text)).toMatchObject({ reason: 'corrupted' })
  })

  describe('binary', () => {
    const nodes = (packed: boolean): TestNode[] => [
      {
        name: 'Objects',
        children: [
          {
            name: 'Geometry',
            values: [1n, 'Shape\0\x01Geometry', 'Mesh'],
            children: [
              {
                name: 'Vertices',
                values: [{ type: 'd', numbers: [0, 0, 0, 1, 0, 0, 1, 2, 0, 0, 2, 0], packed }],
              },
              { name: 'PolygonVertexIndex', values: [{ type: 'i', numbers: [0, 1, 2, -4], packed }] },
            ],
          },
          { name: 'Model', values: [2n, 'Quad\0\x01Model', 'Mesh'] },
        ],
      },
      { name: 'Connections', children: [{ name: 'C', values: ['OO', 1n, 2n] }] },
    ]

    test.each([
      [7400, false],
      [7400, true],
      [7500, true],
    ])('version %i, packed: %s', async (version, packed) => {
      expect(await read('quad.fbx', binaryFbx(version, nodes(packed)))).toMatchObject({
        facts: { vertexCount: 4, triangleCount: 2, parts: ['Quad'], dimensions: { x: 1, y: 2, z: 0 } },
      })
    })

    test('small whole numbers, and the end 0 of a node without children', async () => {
      const file = binaryFbx(7400, [{ name: 'Creator', values: [-5, 'Maya'] }, ...nodes(true)])
      file.writeUInt32LE(0, 27)
      expect(await read('maya.fbx', file)).toMatchObject({ facts: { vertexCount: 4, triangleCount: 2 } })
    })

    test.each([
      [
        'numbers that do not inflate',
        (file: Buffer) =>
          file.fill(
            0xff,
            file.indexOf('\x78\x9c', 0, 'latin1') + 2,
            file.indexOf('\x78\x9c', 0, 'latin1') + 8,
          ),
      ],
      [
        'more numbers stated than packed',
        (file: Buffer) => file.writeUInt32LE(4e9, file.indexOf('\x78\x9c', 0, 'latin1') - 12),
      ],
      ['fewer', (file: Buffer) => file.writeUInt32LE(3, file.indexOf('\x78\x9c', 0, 'latin1') - 12)],
      ['a node beyond the file', (file: Buffer) => file.writeUInt32LE(4e9, 27)],
      ['a node that ends before it begins', (file: Buffer) => file.writeUInt32LE(1, 27)],
      ['a value of no type', (file: Buffer) => file.write('?', file.indexOf('Geometry') + 8)],
    ])('with %s', async (_, damage) => {
      const file = binaryFbx(7400, nodes(true))
      damage(file)
      expect(await read('bad.fbx', file)).toMatchObject({ reason: 'corrupted' })
    })

    test('numbers that inflate beyond all measure are too large', async () => {
      const zeros = { type: 'd', numbers: new Float64Array(26_000_000), packed: true } as const
      const geometry = {
        name: 'Geometry',
        values: [1n, 'a\0\x01Geometry', 'Mesh'],
        children: [
          { name: 'Vertices', values: [zeros] },
          { name: 'PolygonVertexIndex', values: [] },
        ],
      }
      const [objects, connections] = nodes(false)
      const bomb = { name: 'Objects', children: [geometry, objects!.children![1]!] }
      expect(await read('bomb.fbx', binaryFbx(7400, [bomb, connections!]))).toMatchObject({
        reason: 'too-large',
      })
    })
  })
})
