import type { LogPosition } from '@medialog/kernel'
import type { Links } from '../chain.ts'

/** A whole event's links: no part of it was erased. */
export type WholeLinks = Links & { data: string; salt: string }

/** The text of an event's row: one JSON object that holds what the chain covers byte for byte. */
export const storedText = (links: WholeLinks, position: LogPosition): string =>
  `${links.header.slice(0, -1)}${beforeData(position)}${links.data}${afterData(links)}`

const beforeData = (position: LogPosition): string => `,"position":${position},"data":`

const afterData = ({ salt, digest, prev, hash }: WholeLinks): string =>
  `,"salt":"${salt}","digest":"${digest}","prev":"${prev}","hash":"${hash}"}`

const AFTER_DATA =
  /^,"salt":"([0-9a-f]{32})","digest":"([0-9a-f]{64})","prev":"([0-9a-f]{64})","hash":"([0-9a-f]{64})"\}$/
/** As long in every event. */
const AFTER_DATA_LENGTH = afterData({
  header: '',
  data: '',
  salt: ' '.repeat(32),
  digest: ' '.repeat(64),
  prev: ' '.repeat(64),
  hash: ' '.repeat(64),
}).length

/** SQL: the event's hash, without a look at the rest; NULL for an erased one. */
export const HASH = `iif(typeof(event) = 'text', substr(event, -66, 64), NULL)`

/**
 * The row's text taken apart again without parsing it, so that what is proven is what is stored, byte for byte. Null
 * for a text of another form, or one that says another position.
 */
export function linksIn(text: string, position: LogPosition): WholeLinks | null {
  const marker = beforeData(position)
  // What comes before are texts, in which a quote is escaped: the first marker is the real one.
  const headerEnd = text.indexOf(marker)
  const dataEnd = text.length - AFTER_DATA_LENGTH
  const [, salt, digest, prev, hash] = AFTER_DATA.exec(text.slice(Math.max(dataEnd, 0))) ?? []
  if (headerEnd < 0 || dataEnd < headerEnd + marker.length || hash === undefined) return null
  const header = `${text.slice(0, headerEnd)}}`
  const data = text.slice(headerEnd + marker.length, dataEnd)
  return { header, data, salt: salt!, digest: digest!, prev: prev!, hash }
}

/** Whether the header is that revision of that stream. Its fields before are texts: none can hold this. */
export const isRevisionOf = (header: string, stream: string, revision: number): boolean =>
  header.includes(`,"revision":${revision},"stream":${JSON.stringify(stream)},"type":`)

/** The type in a header: the last field but one. */
export function typeIn(header: string): string | null {
  const [, text] = /,"type":("(?:[^"\\]|\\.)*"),"version":\d+\}$/.exec(header) ?? []
  return text === undefined ? null : (JSON.parse(text) as string)
}
