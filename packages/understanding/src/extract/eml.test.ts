import { basename } from 'node:path'
import type { Extraction } from '@medialog/application/ports/understanding'
import { describe, expect, test } from 'vitest'
import { asFormat, formatRow } from '../formats.ts'
import { readFixture } from '../testing/fixtures.ts'
import { plainDocx } from '../testing/docx.ts'
import { extract } from './eml.ts'

const read = (mail: string | Buffer): Promise<Extraction> =>
  extract({ bytes: new Uint8Array(Buffer.from(mail)), filename: 'a.eml', format: asFormat(formatRow('eml')) })

const mixed = (...parts: string[]): string =>
  `MIME-Version: 1.0\nSubject: Parts\nContent-Type: multipart/mixed; boundary="b"\n\n${parts
    .map((part) => `--b\n${part}\n`)
    .join('')}--b--\n`

const attached = (name: string, bytes: Buffer): string =>
  `Content-Disposition: attachment; filename="${name}"\nContent-Transfer-Encoding: base64\n\n${bytes.toString('base64')}`

describe('attachments', () => {
  test.each([
    ['images/sample.png', /PNG image|drawing|photo|screenshot/],
    ['audio/sample.mp3', /MP3/],
    ['video/sample.mp4', /MP4/],
    ['3d/sample.glb', /triangles/],
  ])('that are media are told in words: %s', async (name, words) => {
    const { text, sections, warnings } = await read(
      mixed(attached(basename(name), Buffer.from(await readFixture(name)))),
    )
    expect(sections.map(({ title }) => title)).toContain(basename(name))
    expect(text.slice(sections.find(({ title }) => title === basename(name))!.start)).toMatch(words)
    expect(warnings).toEqual([])
  })

  test('that are what their mail states, not what their name does, are read', async () => {
    const declared = `Content-Type: text/plain\n${attached('minutes.doc', Buffer.from('Kim keeps the minutes.'))}`
    const { text, sections, warnings } = await read(mixed(declared))
    expect(sections.map(({ title }) => title)).toContain('minutes.doc')
    expect(text).toContain('Kim keeps the minutes.')
    expect(warnings).toEqual([])
  })

  test('that are media are read up to a number', async () => {
    const picture = Buffer.from(await readFixture('images/sample.gif'))
    const { sections, warnings } = await read(
      mixed(...Array.from({ length: 14 }, (_, at) => attached(`${at}.gif`, picture))),
    )
    expect(sections.filter(({ contentType }) => contentType === 'attachment')).toHaveLength(12)
    expect(warnings).toEqual(['Of pictures, recordings and models only the first 12 were read.'])
  })

  test('are read by what they are, in messages inside messages too', async () => {
    const docx = attached('letter.bin', plainDocx(['Words of a document']))
    const inner = `Content-Type: message/rfc822\n\n${mixed('\nInner words', docx).replaceAll('--b', '--c').replace('"b"', '"c"')}`
    const { text, sections } = await read(mixed('\nOuter words', inner))
    for (const words of ['Outer words', 'Inner words', 'Words of a document']) expect(text).toContain(words)
    expect(sections.map(({ title, level }) => `${title}(${level})`)).toEqual([
      'Parts(1)',
      'Parts.eml(1)',
      'Parts(2)',
      'letter.bin(2)',
    ])
    for (const { title, start } of sections) expect(text.slice(start, start + title.length)).toBe(title)
  })

  test('of text are read whatever they are called', async () => {
    const named = (name: string, type: string): string =>
      `Content-Type: ${type}; name="${name}"\n\nWords of ${name}`
    const { text, warnings } = await read(
      mixed(
        named('Makefile', 'text/plain'),
        named('a.ics', 'text/calendar'),
        named('a.sig', 'application/x'),
      ),
    )
    expect(text).toBe(
      'Parts\n\nAttachments: Makefile, a.ics, a.sig\n\nMakefile\n\nWords of Makefile\n\na.ics\n\nWords of a.ics',
    )
    expect(warnings).toEqual([])
  })

  test('that cannot be read are named, and the message is still read', async () => {
    const { text, warnings } = await read(
      mixed(
        '\nHello',
        attached('half.docx', plainDocx(['x']).subarray(0, 300)),
        attached('x.bin', Buffer.alloc(9)),
      ),
    )
    expect(text).toBe('Parts\n\nHello\n\nAttachments: half.docx, x.bin')
    expect(warnings).toEqual([
      expect.stringMatching(/^The attachment half\.docx could not be read\. The file/),
    ])
  })

  test('that are locked are named as such', async () => {
    const ole = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(504)])
    const locked = Buffer.concat([ole, Buffer.from('EncryptedPackage', 'utf16le')])
    const { warnings } = await read(mixed('\nHello', attached('secret.docx', locked)))
    expect(warnings).toEqual([
      'The attachment secret.docx could not be read. The document is protected with a password.',
    ])
  })

  test('messages nested without end are read to a depth', async () => {
    let mail = 'MIME-Version: 1.0\nSubject: innermost\n\nend'
    for (let level = 0; level < 40; level++)
      mail = `MIME-Version: 1.0\nSubject: level ${level}\nContent-Type: message/rfc822\n\n${mail}`
    const { sections } = await read(mail)
    expect(sections.length).toBeLessThan(10)
  })
})

describe('text', () => {
  test('characters cut in two by encoded words, and names by RFC 2231', async () => {
    const [first, second] = [Buffer.from('한글').subarray(0, 4), Buffer.from('한글').subarray(4)]
    const subject = `=?UTF-8?B?${first.toString('base64')}?=\n =?UTF-8?B?${second.toString('base64')}?=`
    const { title, text } = await read(
      `MIME-Version: 1.0\nSubject: ${subject}\nContent-Type: multipart/mixed; boundary=b\n\n--b\n` +
        `Content-Disposition: attachment; filename*0*=euc-kr''%C7%D1; filename*1*=%B1%DB; filename*2=.bin\n\nx\n--b--`,
    )
    expect(title).toBe('한글')
    expect(text).toContain('Attachments: 한글.bin')
  })

  test.each(['text', 'plain; charset=utf-8', ''])('a type with one half: %s', async (type) => {
    const { text } = await read(`Subject: x\nMIME-Version: 1.0\nContent-Type: ${type}\n\nIt is said.`)
    expect(text).toBe('x\n\nIt is said.')
  })

  test('HTML where there is no text, quoted-printable, CP949 that is called something else', async () => {
    const html = 'Content-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: quoted-printable'
    const { text } = await read(
      `Subject: x\nMIME-Version: 1.0\n${html}\n\n<p>caf=C3=A9 =\nau lait</p><script>no</script>`,
    )
    expect(text).toContain('café au lait')
    expect(text).not.toContain('no')
    const korean = Buffer.from('8c63b9e6b0a2c7cf', 'hex')
    const raw = Buffer.concat([
      Buffer.from('Subject: x\nContent-Type: text/plain; charset=us-ascii\n\n'),
      korean,
    ])
    expect((await read(raw)).text).toBe('x\n\n똠방각하')
  })
})

describe('what a mail program leaves out', () => {
  test.each([
    ['a line of spaces', 'Subject: x\nFrom: Kim\n \nThe words: they begin\nat once.\n\nAnd go on.'],
    ['no empty line', 'Subject: x\nFrom: Kim\nThe words they begin\nat once.\n\nAnd go on.'],
  ])('%s between header and body', async (_, mail) => {
    const { text } = await read(mail)
    expect(text).toContain('at once.\n\nAnd go on.')
    expect(text).toContain('From: Kim')
  })

  test('a line of the header that is no field', async () => {
    const { text } = await read('Subject: x\nno field\nFrom: Kim\n\nWords')
    expect(text).toBe('x\n\nFrom: Kim\n\nWords')
  })

  test('the header of a part', async () => {
    expect((await read(mixed('Words\nof a part'))).text).toBe('Parts\n\nWords\nof a part')
  })
})

test('a report says why a message did not arrive', async () => {
  const status =
    'Content-Type: message/delivery-status\n\nFinal-Recipient: rfc822; kim@example.com\nStatus: 5.1.1'
  const { text } = await read(mixed('\nReturned', status).replace('mixed', 'report'))
  expect(text).toBe('Parts\n\nReturned\n\nFinal-Recipient: rfc822; kim@example.com\nStatus: 5.1.1')
})

describe('a message without its last boundary', () => {
  const unclosed = mixed('\nOuter words', '\nLast words').replace('--b--\n', '')

  test('is read with a warning', async () => {
    const { text, warnings } = await read(unclosed)
    expect(text).toContain('Outer words')
    expect(text).toContain('Last words')
    expect(warnings).toEqual(['The message has no end of its last part: the rest may be missing.'])
  })

  test('inside another ends with the part of that one', async () => {
    const inner = unclosed.replaceAll('--b', '--c').replace('"b"', '"c"')
    const { text, warnings } = await read(mixed(inner, '\nRoster'))
    expect(text).toMatch(/Last words[^]*Roster/)
    expect(warnings).toEqual([])
  })

  test('that its own boundary names within is read as the parts of that one', async () => {
    const nested = 'Content-Type: multipart/alternative; boundary="b"\n'
    const { text, warnings } = await read(
      mixed(nested, '\nOuter words', '\nMore words') + '\n--b\n\nBehind the end\n--b--\n',
    )
    expect(text).toMatch(/Outer words[^]*More words[^]*Behind the end/)
    expect([text.includes('Attachments'), warnings]).toEqual([false, []])
  })

  test('is refused in the middle of an attachment', async () => {
    const picture = attached('a.png', Buffer.from(await readFixture('images/sample.png')))
    const cut = mixed('\nWords', picture).replace('\n--b--\n', '')
    await expect(read(cut.slice(0, -99))).rejects.toThrow('ends before its last part does')
  })

  test('and without a first one is refused', async () => {
    await expect(read(mixed().replace('--b--\n', ''))).rejects.toThrow('ends before its first part begins')
  })
})

test.each([
  [
    'flowed',
    'One line that goes \non here.\n> Quoted and \n> on.\nFixed.',
    'One line that goes on here.\n> Quoted and on.\nFixed.',
  ],
  ['flowed; delsp=yes', '新しい \nポンプ。\n-- \nKim', '新しいポンプ。\n-- \nKim'],
  ['flowed', ' From stuffed.\n > No quotation.', 'From stuffed.\n> No quotation.'],
  ['fixed', 'One \ntwo', 'One \ntwo'],
])('text with format=%s', async (format, sent, shown) => {
  const { text } = await read(
    `Subject: S\nContent-Type: text/plain; charset=utf-8; format=${format}\n\n${sent}\n`,
  )
  expect(text.replace(/^S\n\n/, '')).toBe(
    shown
      .split('\n')
      .map((line) => line.trimEnd())
      .join('\n'),
  )
})
