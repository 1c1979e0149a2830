import type { Embedder, Enricher, Enrichment, Extraction } from '@medialog/application/ports'
import { EngineUnavailable } from '@medialog/application/ports'
import { createEmbedder } from '@medialog/embedder'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createOfflineEnricher } from './offline.ts'
import { LABELLED, type Labelled } from './testing/labelled.ts'
import { extractionOf } from './testing/samples.ts'

let embedder: Embedder
let enricher: Enricher
beforeAll(async () => {
  embedder = await createEmbedder()
  enricher = createOfflineEnricher({ embedder })
})
afterAll(async () => {
  await enricher.close()
  await embedder.close()
})

const enrich = (text: string, filename = 'a.txt'): Promise<Enrichment> =>
  enricher.enrich(extractionOf(text), filename)

/** F1 of names found against names expected, over all texts. */
function f1(pairs: readonly { found: readonly string[]; expected: readonly string[] }[]): number {
  let [right, found, expected] = [0, 0, 0]
  for (const pair of pairs) {
    right += pair.found.filter((name) => pair.expected.includes(name)).length
    found += pair.found.length
    expected += pair.expected.length
  }
  return (2 * right) / Math.max(1, found + expected)
}

describe('on twelve labelled texts', () => {
  let results: { label: Labelled; found: Enrichment }[]
  beforeAll(async () => {
    results = await Promise.all(LABELLED.map(async (label) => ({ label, found: await enrich(label.text) })))
  })
  const hits = (hit: (label: Labelled, found: Enrichment) => boolean): number =>
    results.filter(({ label, found }) => hit(label, found)).length

  test('a right topic is among three in at least 11, first in at least 9', () => {
    expect(
      hits(({ topics }, found) => found.topics.some((topic) => topics.includes(topic))),
    ).toBeGreaterThanOrEqual(11)
    expect(hits(({ topics }, found) => topics.includes(found.topics[0]!))).toBeGreaterThanOrEqual(9)
  })

  test('names: F1 at least .9 for people, locations and organisations', () => {
    const of = (kind: 'people' | 'organizations' | 'locations'): number =>
      f1(results.map(({ label, found }) => ({ found: found.entities[kind], expected: label[kind] })))
    expect(of('people')).toBeGreaterThanOrEqual(0.9)
    expect(of('locations')).toBeGreaterThanOrEqual(0.9)
    expect(of('organizations')).toBeGreaterThanOrEqual(0.9)
  })

  test('summary and keywords name the matter in at least 11', () => {
    const says = (text: string, words: string[]): boolean =>
      words.some((word) => text.toLowerCase().includes(word))
    expect(hits(({ gist }, found) => says(found.summary, gist))).toBeGreaterThanOrEqual(11)
    expect(
      hits(({ keywords }, found) => found.keywords.some((k) => keywords.includes(k))),
    ).toBeGreaterThanOrEqual(11)
  })

  test('sober texts have no emotions, and every quality lies between 0 and 1', () => {
    expect(hits((_, found) => found.emotions.length > 0)).toBeLessThanOrEqual(1)
    for (const { found } of results)
      for (const value of Object.values(found.quality)) {
        expect(value).toBeGreaterThanOrEqual(0)
        expect(value).toBeLessThanOrEqual(1)
      }
  })
})

test('emotions are named where a text is full of them, and not where it denies them', async () => {
  const glad =
    'We laughed and celebrated. Everyone was happy and the children cheered with delight at the wedding.'
  expect((await enrich(glad)).emotions).toEqual(['joy'])
  const afraid =
    'She was terrified of the dark house. Fear and dread kept her awake, and every sound frightened her.'
  expect((await enrich(afraid)).emotions).toEqual(['fear'])
  expect(
    (await enrich('The dog is not angry and never afraid of the visitors at our door.')).emotions,
  ).toEqual([])
})

test('the same input gives the same bytes, from another enricher too', async () => {
  const another = createOfflineEnricher({ embedder })
  const [first, again, other] = [
    await enrich(LABELLED[0]!.text),
    await enrich(LABELLED[0]!.text),
    await another.enrich(extractionOf(LABELLED[0]!.text), 'a.txt'),
  ]
  await another.close()
  expect(JSON.stringify(again)).toBe(JSON.stringify(first))
  expect(JSON.stringify(other)).toBe(JSON.stringify(first))
})

describe('texts that are not what the methods were made for', () => {
  test('Korean: a sentence and nouns without their particles, nothing made up', async () => {
    const found = await enrich(
      '오늘 서울에서 예산 회의가 열렸다. 회의에서 예산을 논의했다. 예산은 다음 달에 확정된다.',
    )
    expect(found.keywords.slice(0, 2).sort()).toEqual(['예산', '회의'])
    expect(found.summary).toMatch(/다\.$/)
    expect(found).toMatchObject({
      topics: [],
      emotions: [],
      entities: { people: [], organizations: [], concepts: [] },
    })
  })

  test('German is not read as English', async () => {
    const found = await enrich(
      'Der Ausschuss hat den Haushalt für das kommende Jahr beschlossen. Der Haushalt wächst um vier Prozent und die Stadt baut eine neue Schule.',
    )
    expect(found).toMatchObject({ topics: [], entities: { people: [], organizations: [], locations: [] } })
    expect(found.keywords).toContain('haushalt')
  })

  test('nothing, and one word', async () => {
    expect(await enrich('')).toMatchObject({
      summary: 'A text file without words.',
      topics: [],
      keywords: [],
      categories: ['document'],
    })
    expect(await enrich('Invoice')).toMatchObject({ summary: 'Invoice', topics: [], emotions: [] })
    expect((await enrich('\u0000\ufffd ~~~ 12 34')).entities.people).toEqual([])
  })

  test('a text of 75 000 tokens costs about what a short one does', async () => {
    const huge = Array.from({ length: 340 }, (_, i) => `${LABELLED[i % 12]!.text} Part ${i} ends here.\n\n`)
      .join('')
      .repeat(4)
    await enrich(huge)
    // Of the processor: the clock tells what else the machine does.
    const begun = process.cpuUsage()
    const found = await enrich(huge.slice(0, 340_000))
    const { user, system } = process.cpuUsage(begun)
    expect((user + system) / 1e6).toBeLessThan(10)
    expect(found.keywords).toHaveLength(10)
  })
})

test('a medium is described by its facts', async () => {
  const found = await enricher.enrich(
    extractionOf('', {
      format: 'jpg',
      mediaType: 'image',
      facts: {
        mediaType: 'image',
        width: 640,
        height: 400,
        colorMode: 'RGB',
        dominantColors: [
          { hex: '#C83232', name: 'red', share: 0.6 },
          { hex: '#2850B4', name: 'blue', share: 0.3 },
        ],
        exif: { Make: 'TestCam', Model: 'Model X1' },
      },
    }),
    'IMG_beach-holiday.jpg',
  )
  expect(found.summary).toBe(
    'A landscape JPG image of 640 × 400 pixels. Mostly red (60 %) and blue (30 %). Taken with TestCam Model X1.',
  )
  expect(found.keywords).toEqual(expect.arrayContaining(['beach', 'holiday', 'red', 'blue']))
  expect(found.categories[0]).toBe('image')
})

test('a video is described by its facts and by what was written about it', async () => {
  const tags = {
    title: 'Ferry to Norway',
    artist: 'Kari Nordmann',
    year: '2024',
    genre: 'Travel',
    keywords: 'sea, lighthouse',
    description: 'We cross the strait at dawn.',
  }
  const facts = { mediaType: 'video' as const, duration: 95, width: 1080, height: 1920, frameRate: 29.97 }
  const found = await enricher.enrich(
    extractionOf('', {
      format: 'mp4',
      mediaType: 'video',
      title: tags.title,
      author: tags.artist,
      facts: { ...facts, codec: 'H.264', tags },
    }),
    'VID_0001.mp4',
  )
  expect(found.summary).toBe(
    'A portrait MP4 video “Ferry to Norway” by Kari Nordmann (2024) of 1:35 minutes in full HD, ' +
      '1080 × 1920 pixels at 29.97 frames a second (H.264). We cross the strait at dawn. Genre: Travel. ' +
      'Keywords: sea, lighthouse.',
  )
  expect(found.keywords).toEqual(
    expect.arrayContaining(['ferry to norway', 'travel', 'sea', 'lighthouse', 'kari nordmann']),
  )
  expect(found.entities.people).toEqual(['Kari Nordmann'])
  expect(found.categories[0]).toBe('video')
  const bare = extractionOf('', { format: 'mpeg', mediaType: 'video', facts: { ...facts, tags: {} } })
  expect((await enricher.enrich(bare, 'a.mpg')).summary).toBe(
    'A portrait MPEG video of 1:35 minutes in full HD, 1080 × 1920 pixels at 29.97 frames a second.',
  )
})

const described = (text: string, given: Partial<Extraction>, filename = 'a.md'): Promise<Enrichment> =>
  enricher.enrich(extractionOf(text, given), filename)

describe('a summary', () => {
  const STORY =
    'The lighthouse on the northern cape was built in 1871 by two brothers. Its lamp burned whale oil at first. ' +
    'A storm in the winter of 1902 broke the lantern, and for a month no ship dared to pass the cape. ' +
    'Today the lighthouse is a museum of navigation that opens every summer.'

  test('holds whole sentences of the text, the first among them, and neither title nor heading', async () => {
    const title = 'The lighthouse on the northern cape is old.'
    const text = `${title}\n\nHistory of the lighthouse.\n\n${STORY}`
    const sections = [title, 'History of the lighthouse.'].map((heading) => ({
      title: heading,
      level: 1,
      contentType: 'heading',
      start: text.indexOf(heading),
    }))
    const { summary } = await described(text, { title, sections })
    expect(summary).toMatch(/^The lighthouse on the northern cape was built in 1871 by two brothers\./)
    expect(summary).not.toContain('is old')
    expect(summary).not.toContain('History of')
    for (const sentence of summary.split(/(?<=\.) (?=[A-Z])/)) expect(STORY).toContain(sentence)
  })

  test('joins wrapped lines, also before a capital letter', async () => {
    const { summary } = await enrich(
      'The lighthouse on the northern cape was built in the year 1871 by the\nSmith brothers, who came from the south and stayed.',
    )
    expect(summary).toBe(
      'The lighthouse on the northern cape was built in the year 1871 by the Smith brothers, who came from the south and stayed.',
    )
  })

  test('rows of a table are lines of their own: no name reaches from one into the next', async () => {
    const { summary, entities } = await enrich(
      'Language | the text may be of any of them; what is said of it is in English\n' +
        'Words in pictures | those in print are read from images, and from pages of a scan',
    )
    expect(summary).toMatch(/in English; Words in pictures/)
    expect(entities.locations).toEqual([])
  })

  test('ends at a sentence or says that it goes on', async () => {
    const long = `Water and salt ${'and sand and stone '.repeat(60)}`
    expect((await enrich(long)).summary).toMatch(/^Water and salt .* (?:and|sand|stone)…$/)
    const { summary } = await enrich(`${long}. ${STORY}`)
    expect(summary).toMatch(/[.]$/)
    expect(summary.length).toBeLessThanOrEqual(600)
  })

  test('of a table says what it is and how it begins, of data and scans as well', async () => {
    const table = 'Quarter | Revenue\nQ1 | 100\nQ2 | 112'
    const tables = [{ rows: 3, columns: 2, start: 0 }]
    expect((await described(table, { format: 'csv', tables })).summary).toBe(
      'A CSV table of 3 rows and 2 columns with 9 words. Quarter, Revenue; Q1, 100; Q2, 112',
    )
    expect((await described('', { format: 'pdf', figureCount: 1 })).summary).toBe(
      'A PDF document with 1 figure.',
    )
  })
})

describe('a summary is never empty and never code', () => {
  test('code stands aside where anything else is said', async () => {
    const code = 'npm install the tool first. Then wait until it has started.'
    const said = 'This tool counts sheep in pictures and on films.'
    const text = `${code}\n\n${said}`
    const found = await described(text, { listings: [{ start: 0, end: code.length }] })
    expect(found.summary).toBe(said)
    expect((await described(code, { listings: [{ start: 0, end: code.length }] })).summary).toContain('npm')
  })

  test('of a document that is one heading it is the heading, without letters what the file is', async () => {
    const heading = 'glaciers of the Alps '.repeat(20).trim()
    const sections = [{ title: heading, level: 1, contentType: 'heading', start: 0 }]
    expect((await described(heading, { title: heading, sections })).summary).toMatch(/^glaciers of the Alps/)
    expect((await described('[['.repeat(1_000), { format: 'md' })).summary).toMatch(/^A Markdown document/)
  })

  test('of a message it is no field of its header', async () => {
    const text = 'From: Kim <kim@example.com>\nDate: Mon, 6 May\n\nsee you at the lake'
    expect((await described(text, { format: 'eml' })).summary).toBe('see you at the lake')
  })
})

test('names are no months, headings or first words of sentences; a king keeps his title', async () => {
  const text =
    'Conclusion\n\nYesterday the council met. In October the bridge over the river opened. Results were good. ' +
    'King Harald came on Monday. Revenue grew, and Outlook remains stable.'
  const { entities } = await described(text, {
    sections: [{ title: 'Conclusion', level: 1, contentType: 'heading', start: 0 }],
  })
  expect(entities.people).toEqual(['King Harald'])
  expect([...entities.organizations, ...entities.locations].join()).not.toMatch(
    /October|Monday|Conclusion|Results|Yesterday|Revenue|Outlook/,
  )
})

test('things are what nouns name, not what they describe or do', async () => {
  const { entities } = await enrich(
    'The guitar lay on a chair. Car doors were closed. The table below shows that he kept watch.',
  )
  expect(entities.objects).toEqual(['guitar', 'chair', 'door'])
})

test('keywords are words of the matter: no verbs, no parts of a document, hyphened words whole', async () => {
  const { keywords } = await enrich(
    'Introduction. The table below shows quarterly figures of blunt-nosed bodies. This report describes results.',
  )
  expect(keywords).toContain('blunt-nosed bodies')
  expect(keywords.join()).not.toMatch(/shows|describes|introduction|^results$/)
})

test('a blob among words names nothing, and nothing that is said of a file is long', async () => {
  const said = await enrich(
    `Hello world of glaciers. ${'b'.repeat(200_000)} ${'Ab'.repeat(50_000)} came here.`,
  )
  const names = [...said.keywords, ...said.topics, ...Object.values(said.entities).flat()]
  expect(names.filter((name) => name.length > 100)).toEqual([])
  expect(said.description.length).toBeLessThanOrEqual(1_001)
  expect(said.summary.length).toBeLessThanOrEqual(601)
})

test('a model of a few parts has no subject made up for it', async () => {
  const facts = {
    mediaType: 'model' as const,
    vertexCount: 8,
    triangleCount: 12,
    materialCount: 2,
    materials: ['red', 'blue'],
    parts: ['Box'],
    dimensions: { x: 1, y: 1, z: 1 },
  }
  const found = await described('', { format: 'obj', mediaType: 'model', facts }, 'sample.obj')
  expect(found).toMatchObject({ topics: [], categories: ['model'], entities: { objects: ['Box'] } })
  expect(found.summary).toMatch(/^An OBJ model with 8 vertices/)
})

test('without the embedder words alone decide; other failures and aborts pass', async () => {
  const failing = (failure: Error): Enricher =>
    createOfflineEnricher({
      embedder: { ...embedder, cosineFloor: 0.15, embed: () => Promise.reject(failure) },
    })
  const away = failing(new EngineUnavailable('embedder', 'away'))
  const found = await away.enrich(extractionOf(LABELLED[0]!.text), 'a.txt')
  expect(found.summary).not.toBe('')
  expect(found.entities.people).toEqual(['Maria Schmidt'])
  const broken = failing(new Error('broken'))
  await expect(broken.enrich(extractionOf(LABELLED[0]!.text), 'a.txt')).rejects.toThrow('broken')
  await expect(
    enricher.enrich(extractionOf('Some text.'), 'a.txt', { signal: AbortSignal.abort() }),
  ).rejects.toThrow(/abort/i)
  await Promise.all([away.close(), broken.close()])
})

test('a text that takes its thread along is known by its facts, and the next one by its words', async () => {
  const module = new URL('../testing/mortal-analysis.ts', import.meta.url)
  const mortal = createOfflineEnricher({ embedder, module })
  const { text } = LABELLED[0]!
  const [lost, found] = await Promise.all([
    mortal.enrich(extractionOf(`This text is deadly. ${text}`), 'a.txt'),
    mortal.enrich(extractionOf(text), 'a.txt'),
  ])
  expect(lost).toMatchObject({
    keywords: [],
    entities: { people: [] },
    warnings: ['The text could not be analysed: it has no summary, keywords or names of its own.'],
  })
  expect(lost.summary).toMatch(/^A plain text|^A text|TXT/i)
  expect(found.entities.people).toEqual(['Maria Schmidt'])
  expect(found.warnings).toBeUndefined()
  await mortal.close()
})

test('a text is analysed beside one of another account that takes long', async () => {
  const module = new URL('../testing/mortal-analysis.ts', import.meta.url)
  const mortal = createOfflineEnricher({ embedder, module })
  const stop = new AbortController()
  const held = ['one', 'two'].map((name) =>
    mortal
      .enrich(extractionOf(`endless ${name}`), 'a.txt', { accountId: 'greedy', signal: stop.signal })
      .catch((error: unknown) => error),
  )
  const found = await mortal.enrich(extractionOf(LABELLED[0]!.text), 'a.txt', { accountId: 'other' })
  expect(found.entities.people).toEqual(['Maria Schmidt'])
  stop.abort(new Error('enough'))
  expect(await Promise.all(held)).toMatchObject([{ message: 'enough' }, { message: 'enough' }])
  await mortal.close()
})
