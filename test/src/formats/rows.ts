/** What a format's row says besides its limits, which the table of formats has. */
export interface Row {
  /** What comes out. */
  reads: string
  /** The library that reads it, or `own` code. */
  by: string
  /** What does not come out, or is refused, besides what holds for all of its type. */
  bounds?: string
  /** Fixtures by path, each with facts that its item has to have: see `factsOf`. What is quoted stands in its text. */
  samples: Record<string, string>
}

const REPORT = '49 words; 4 sections; tables; figures; “안녕하세요 세계”'
const SHEETS = '2 sections; tables; “Sum | 212 | 2024-12-31 | 합계”'
const DECK = '3 pages; 3 sections; tables; figures; “Notes: Speaker note 1”'
const TONE = '3 s; 44100 Hz; 2 channels; -22 LUFS; title Test Tone; artist Test Artist'
const CLIP = '4 s; 320x180; 25 frames/s; 2 key frames'
const TITLED = `${CLIP}; title Sample clip`
const BOX = '8 corners; 12 triangles; box 2 × 3 × 4'
const PAINTED = `${BOX}; 2 materials; material red`

const OWN = 'own'
const SOUND = {
  reads: 'length, sample rate, channels, codec, tags, loudness',
  by: '`music-metadata`, FFmpeg as WebAssembly',
}
const FILM = {
  reads: 'length, size, frame rate, codec, tags, key frames with their colours',
  by: '`mediainfo.js`, FFmpeg as WebAssembly',
}
const PICTURE = {
  reads: 'size, colour mode, dominant colours, EXIF, frames, kind of picture, words in it',
  by: '`sharp`, `exif-reader`, `tesseract.js-core`',
}
const MODEL = { reads: 'corners, triangles, materials and their colours, parts, box', by: OWN }

export const ROWS: Record<string, Row> = {
  pdf: {
    reads:
      'text, title, author, language, pages; headings, tables and pictures where it is tagged, else headings of its outline; values of forms, text typed on the page; words of scanned pages',
    by: '`unpdf`, `tesseract.js-core`',
    bounds:
      'none behind a password that is needed to open it; columns that are drawn line by line across the page are read so',
    samples: {
      'documents/sample.pdf': `2 pages; ${REPORT}`,
      'documents/sample_scanned.pdf': 'words read from pictures',
    },
  },
  docx: {
    reads:
      'text, formulas, text boxes, notes, charts, diagrams, alternative texts, embedded files, title, author, language, headings, tables, pictures',
    by: '`saxes`, own',
    bounds: 'not laid out: pages as the file states them; no headers, comments, deletions, hidden words',
    samples: { 'documents/sample.docx': `2 pages; ${REPORT}` },
  },
  doc: {
    reads: 'text, notes at its end, title, author, headings, tables, pictures',
    by: OWN,
    bounds: 'Word 97 and later; no headers, comments; tracked deletions stay',
    samples: { 'documents/sample.doc': `2 pages; ${REPORT}` },
  },
  odt: {
    reads:
      'text, notes, alternative texts, embedded charts, formulas, sheets and texts, title, author, language, headings, tables, pictures',
    by: '`saxes`, own',
    bounds: 'no headers, comments, deletions, hidden words',
    samples: { 'documents/sample.odt': `2 pages; ${REPORT}` },
  },
  rtf: {
    reads: 'text in any code page, notes, title, author, headings, tables, pictures',
    by: `${OWN}, \`iconv-lite\``,
    bounds: 'no headers, comments, deletions, hidden words',
    samples: {
      'documents/sample.rtf': REPORT,
      'documents/sample_cp949.rtf': '3 pages; 1 section; tables; figures; “본문 문단입니다.”',
    },
  },
  txt: {
    reads: 'text in the encoding that it is found to have',
    by: '`chardet`, `iconv-lite`',
    bounds: 'UTF-16 by its mark, or by its spaces, digits and line ends',
    samples: {
      'documents/sample.txt': '13 words; “안녕하세요 세계”',
      'documents/sample_cp949.txt': '39 words; “안녕하세요 세계”',
      'documents/sample_utf16le.txt': '13 words; “안녕하세요 세계”',
    },
  },
  md: {
    reads: 'text, headings, tables, pictures, listings; title, author and language of its front matter',
    by: '`marked`, `yaml`',
    samples: { 'documents/sample.md': '3 sections; tables; figures; “# not a heading”' },
  },
  html: {
    reads:
      'the page’s own text, formulas, labels of drawings, title, author, language, headings, tables, pictures',
    by: '`htmlparser2`',
    bounds: 'without navigation, footers, scripts, and what its own attributes hide',
    samples: {
      'data/sample.html': '5 sections; tables; figures; “café naïve”',
      'data/sample_euckr.html': '5 sections; tables; figures; “안녕하세요 세계”',
    },
  },
  hml: {
    reads: 'text, notes, title, author, headings by style, tables, pictures',
    by: '`saxes`, own',
    samples: { 'data/sample.hml': '3 sections; tables; figures; “1분기 | 100”' },
  },
  xml: {
    reads: 'text, an element a paragraph; titles of sections',
    by: '`saxes`, own',
    bounds: 'entities are not expanded, nothing is fetched, 1 000 levels',
    samples: { 'data/sample.xml': '2 sections; “raw <cdata> text”' },
  },
  json: {
    reads: 'keys and values as lines, numbers with all their digits; JSON Lines too',
    by: OWN,
    bounds: '200 levels',
    samples: { 'data/sample.json': '“n: 12345678901234567890”' },
  },
  epub: {
    reads:
      'chapters in the order of the spine, formulas, labels of drawings, title, author, language, headings, tables, pictures',
    by: '`yauzl`, `saxes`, `htmlparser2`',
    bounds: 'none under copy protection',
    samples: { 'mail_ebook/sample.epub': '3 sections; tables; figures; “First text 한글.”' },
  },
  eml: {
    reads: 'subject, people, date, message; attachments of any format, media by what is known of them',
    by: `${OWN}, \`iconv-lite\`, \`htmlparser2\``,
    bounds: 'three messages deep; the first twelve media; none that is encrypted',
    samples: {
      'mail_ebook/sample.eml': '3 sections; tables; figures; “Attachments: 그림.png, t.csv”',
      'mail_ebook/sample_euckr.eml': '1 section; “회의는 내일입니다.”',
    },
  },
  pptx: {
    reads:
      'slides, their titles, text, formulas, tables, charts, diagrams, alternative texts, embedded files, notes, pictures; title, author, language',
    by: '`saxes`, own',
    samples: { 'presentation/sample.pptx': DECK },
  },
  odp: {
    reads:
      'slides, their titles, text, tables, notes, alternative texts, embedded charts, formulas, sheets and texts, pictures; title, author, language',
    by: '`saxes`, own',
    samples: { 'presentation/sample.odp': DECK },
  },
  csv: {
    reads: 'rows; delimiter and encoding are found out',
    by: '`papaparse`, `chardet`, `iconv-lite`',
    samples: {
      'spreadsheet/sample.csv': 'tables; “Q2 | 112 | two lines”',
      'spreadsheet/sample_euckr_semicolon.csv': 'tables; “1분기 | 100 | 안녕하세요 세계”',
    },
  },
  tsv: {
    reads: 'rows; the encoding is found out',
    by: '`papaparse`, `chardet`, `iconv-lite`',
    samples: { 'spreadsheet/sample.tsv': 'tables; “Q2 | 112 | 한글”' },
  },
  xlsx: {
    reads:
      'sheets, cells as shown, dates as ISO 8601, notes, text boxes, charts, diagrams, alternative texts, embedded files, title, author',
    by: '`@e965/xlsx`',
    samples: { 'spreadsheet/sample.xlsx': SHEETS },
  },
  xls: {
    reads: 'sheets, cells as shown, dates as ISO 8601, notes, text boxes, words of charts, title, author',
    by: '`@e965/xlsx`, own',
    bounds: 'Excel 97 and later',
    samples: { 'spreadsheet/sample.xls': SHEETS },
  },
  ods: {
    reads: 'sheets, cells as shown, dates as ISO 8601, embedded charts and texts, title, author',
    by: '`@e965/xlsx`',
    bounds: 'none that repeats its cells more than 500 000 times',
    samples: { 'spreadsheet/sample.ods': SHEETS },
  },
  jpg: {
    ...PICTURE,
    samples: {
      'images/sample.jpg': '640 × 400; RGB; mostly red; EXIF Model Model X1; kind drawing',
      'images/letter_scan.jpg': 'kind scan; words read from pictures',
      'images/sample_cmyk.jpg': '640 × 400; CMYK',
      'images/sample_gray.jpg': '640 × 400; Gray',
    },
  },
  png: {
    ...PICTURE,
    samples: {
      'images/sample.png': '640 × 400; mostly red; kind drawing',
      'images/screenshot.png': 'kind screenshot; words read from pictures',
      'images/sample_rgba.png': '160 × 100; RGBA',
    },
  },
  gif: {
    ...PICTURE,
    bounds: 'colours of the first frame',
    samples: { 'images/sample.gif': '160 × 100; mostly red' },
  },
  webp: {
    ...PICTURE,
    bounds: 'colours of the first frame',
    samples: {
      'images/sample.webp': '640 × 400; mostly red',
      'images/sample_anim.webp': '160 × 100; mostly red',
    },
  },
  bmp: {
    reads: 'size, colour mode, dominant colours, kind of picture, words in it',
    by: `${OWN}, \`sharp\`, \`tesseract.js-core\``,
    samples: {
      'images/sample.bmp': '320 × 200; RGB; mostly red',
      'images/sample_pal8_rle.bmp': '160 × 100; Palette',
    },
  },
  tiff: {
    ...PICTURE,
    bounds:
      'BigTIFF too; colours of the first page; none of LZMA, of JPEG in the old style, of CIELAB or tiled planes',
    samples: {
      'images/sample.tiff': '320 × 200; mostly red',
      'images/sample_cmyk.tiff': '320 × 200; CMYK',
    },
  },
  svg: {
    reads: 'words, title, size, dominant colours, kind of picture',
    by: '`saxes`, `sharp`',
    bounds: 'drawn without scripts and without anything from elsewhere',
    samples: { 'images/sample.svg': '640 × 400; kind drawing; “Quarterly Report”' },
  },
  heic: {
    ...PICTURE,
    by: '`libheif-js`, `sharp`, `exif-reader`, `tesseract.js-core`',
    samples: {
      'images/sample.heic': '640 × 400; mostly red; EXIF Make TestCam',
      'images/sample.heif': '640 × 400; mostly red',
    },
  },
  mp4: {
    ...FILM,
    samples: {
      'video/sample.mp4': `${TITLED}; H.264`,
      'video/sample_hevc.mp4': `${TITLED}; HEVC`,
      'video/sample_moov_at_end.mp4': `${TITLED}; H.264`,
    },
  },
  mov: { ...FILM, samples: { 'video/sample.mov': `${TITLED}; H.264` } },
  avi: { ...FILM, samples: { 'video/sample.avi': `${TITLED}; MPEG-4 Visual` } },
  webm: {
    ...FILM,
    by: '`mediainfo.js`, FFmpeg as WebAssembly, own',
    bounds: 'where the file states no frame rate it is counted',
    samples: { 'video/sample.webm': `${TITLED}; VP9` },
  },
  mpeg: {
    ...FILM,
    reads: 'length, size, frame rate, codec, key frames with their colours',
    samples: { 'video/sample.mpeg': `${CLIP}; MPEG-1`, 'video/sample.mpg': `${CLIP}; MPEG-2` },
  },
  wmv: { ...FILM, samples: { 'video/sample.wmv': `${TITLED}; WMV2` } },
  mp3: {
    ...SOUND,
    samples: {
      'audio/sample.mp3': `${TONE}; MPEG 1 Layer 3`,
      'audio/sample_vbr_noxing.mp3': TONE,
    },
  },
  wav: { ...SOUND, samples: { 'audio/sample.wav': `${TONE}; PCM` } },
  m4a: { ...SOUND, samples: { 'audio/sample.m4a': `${TONE}; MPEG-4/AAC` } },
  flac: { ...SOUND, samples: { 'audio/sample.flac': `${TONE}; FLAC` } },
  ogg: {
    ...SOUND,
    samples: {
      'audio/sample.ogg': `${TONE}; Vorbis I`,
      'audio/sample_opus.ogg': '3 s; 48000 Hz; 2 channels; -22 LUFS; title Test Tone; Opus',
    },
  },
  aac: {
    reads: 'length, sample rate, channels, codec, loudness',
    by: '`music-metadata`, FFmpeg as WebAssembly',
    bounds: 'a bare stream has no tags',
    samples: { 'audio/sample.aac': '3 s; 44100 Hz; 2 channels; -22 LUFS; AAC' },
  },
  aiff: { ...SOUND, samples: { 'audio/sample.aiff': `${TONE}; PCM` } },
  wma: { ...SOUND, samples: { 'audio/sample.wma': `${TONE}; Windows Media Audio V8` } },
  stl: {
    reads: 'corners, triangles, box; the name of a text file’s part',
    by: OWN,
    bounds: 'binary files need their extension',
    samples: { '3d/sample.stl': BOX, '3d/sample_binary.stl': BOX },
  },
  obj: {
    ...MODEL,
    reads: 'corners, triangles, materials, parts, box',
    samples: { '3d/sample.obj': `${PAINTED}; part Box` },
  },
  fbx: {
    ...MODEL,
    bounds: 'FBX 6 and 7',
    samples: { '3d/sample.fbx': `${PAINTED}; part Box`, '3d/sample_ascii.fbx': `${PAINTED}; colour red` },
  },
  glb: {
    ...MODEL,
    by: '`@gltf-transform/core`',
    bounds: 'none that needs an extension for its geometry, such as Draco: the refusal names it',
    samples: { '3d/sample.glb': `${PAINTED}; part Box` },
  },
  '3mf': { ...MODEL, by: '`yauzl`, `saxes`, own', samples: { '3d/sample.3mf': `${PAINTED}; colour red` } },
  ply: {
    reads: 'corners, triangles, box',
    by: OWN,
    samples: { '3d/sample.ply': BOX, '3d/sample_binary.ply': BOX },
  },
  dae: { ...MODEL, by: '`saxes`, own', samples: { '3d/sample.dae': `${PAINTED}; colour red; part Box` } },
}
