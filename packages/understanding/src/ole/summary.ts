import { decodeCodePage } from '../text/code-page.ts'

/** Property identifiers and types of MS-OLEPS. */
const CODE_PAGE = 1
const TITLE = 2
const AUTHOR = 4
const PAGES = 14
const TYPE = { i2: 2, i4: 3, string: 0x1e, wideString: 0x1f }
const UTF_16 = 1200

export interface Summary {
  title: string
  author: string
  pageCount: number | null
}

/** Reads a stream `\5SummaryInformation`; what is damaged in it is left out. */
export function readSummary(stream: Buffer | null): Summary {
  const properties = stream && stream.length >= 48 ? propertiesOf(stream) : new Map<number, Property>()
  const codePage = (numberOf(properties.get(CODE_PAGE)) ?? 1252) & 0xffff
  const pages = numberOf(properties.get(PAGES)) ?? 0
  return {
    title: stringOf(properties.get(TITLE), codePage),
    author: stringOf(properties.get(AUTHOR), codePage),
    pageCount: pages > 0 ? pages : null,
  }
}

interface Property {
  type: number
  value: Buffer
}

function propertiesOf(stream: Buffer): Map<number, Property> {
  const found = new Map<number, Property>()
  const set = stream.subarray(stream.readUInt32LE(44))
  if (set.length < 8) return found
  const count = set.readUInt32LE(4)
  for (let at = 8; at + 8 <= set.length && at < 8 + 8 * count; at += 8) {
    const property = set.subarray(set.readUInt32LE(at + 4))
    if (property.length >= 8)
      found.set(set.readUInt32LE(at), { type: property.readUInt16LE(0), value: property.subarray(4) })
  }
  return found
}

function numberOf(property: Property | undefined): number | null {
  if (property?.type === TYPE.i2) return property.value.readInt16LE(0)
  return property?.type === TYPE.i4 ? property.value.readInt32LE(0) : null
}

function stringOf(property: Property | undefined, codePage: number): string {
  if (!property) return ''
  const { type, value } = property
  const length = value.readUInt32LE(0)
  if (type === TYPE.wideString) return upToZero(value.toString('utf16le', 4, 4 + 2 * length))
  if (type !== TYPE.string) return ''
  const bytes = value.subarray(4, 4 + length)
  return upToZero(
    codePage === UTF_16 ? bytes.toString('utf16le') : decodeCodePage(bytes.toString('latin1'), codePage),
  )
}

const upToZero = (text: string): string => text.split('\0')[0]!
