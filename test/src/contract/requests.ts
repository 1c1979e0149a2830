import type { OpenApiParameter } from '@medialog/contract/http'
import fc from 'fast-check'
import { resolve, type Operation, type Schema } from './document.ts'
import { nasty, valueOf, type Source } from './values.ts'

/** A request as it goes on the wire. */
export interface WireRequest {
  method: string
  path: string
  headers: { [name: string]: string }
  body: Buffer | null
}

/** Requests that fit the operation, and others that are broken here and there. */
export function requestTo(
  operation: Operation,
  source: Omit<Source, 'broken'>,
  files: readonly Buffer[],
): fc.Arbitrary<WireRequest> {
  return fc.oneof(
    { weight: 2, arbitrary: requestWith(operation, { ...source, broken: 0 }, files) },
    { weight: 3, arbitrary: requestWith(operation, { ...source, broken: 8 }, files) },
  )
}

function requestWith(
  operation: Operation,
  source: Source,
  files: readonly Buffer[],
): fc.Arbitrary<WireRequest> {
  const { method, path } = operation
  const ifBroken = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> =>
    fc.oneof({ weight: 20, arbitrary: fc.constant(null) }, { weight: source.broken, arbitrary })
  const among = (place: OpenApiParameter['in']) =>
    operation.parameters.filter((parameter) => parameter.in === place)
  const valueFor = ({ name, schema }: OpenApiParameter) => valueOf(source, schema, name)
  const pathValues = among('path').map((parameter) =>
    fc.tuple(fc.constant(`{${parameter.name}}`), valueFor(parameter).map(pathSegment)),
  )
  const query = fc.record(
    Object.fromEntries(among('query').map((parameter) => [parameter.name, valueFor(parameter)])),
    { requiredKeys: among('query').flatMap(({ name, required }) => (required ? [name] : [])) },
  )
  const headers = fc.record(Object.fromEntries(among('header').map(({ name }) => [name, headerValue])))
  return (
    fc
      .record({
        pathValues: fc.tuple(...pathValues),
        query: query.map(queryString),
        brokenQuery: ifBroken(fc.constantFrom('%', 'a=%E0%A4%A', '&&&', '=', 'page=1&page=1', '__proto__=1')),
        headers: ifBroken(headers),
        accept: ifBroken(fc.constantFrom('text/event-stream', '*/*', 'x', 'image/png;q=2')),
        body: bodyOf(operation, source, files),
      })
      // A segment may happen to make it a path of its own.
      .filter(
        ({ pathValues }) => pathValues.length === 0 || !(fill(path, pathValues) in source.document.paths),
      )
      .map(({ pathValues, query, brokenQuery, headers, accept, body }) => {
        const filled = fill(path, pathValues)
        const asked = brokenQuery ?? query
        return {
          method: method.toUpperCase(),
          path: asked ? `${filled}?${asked}` : filled,
          headers: { ...headers, ...(accept !== null && { accept }), ...body?.headers },
          body: body?.bytes ?? null,
        }
      })
  )
}

const fill = (path: string, values: readonly (readonly [place: string, value: string])[]): string =>
  values.reduce((filled, [place, value]) => filled.replace(place, () => value), path)

const plain = (value: unknown): string =>
  (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).toWellFormed()

/** Never empty and never dots alone: those would be other paths. */
const pathSegment = (value: unknown): string =>
  encodeURIComponent(plain(value).slice(0, 2000).replace(/^\.*$/, '-')).replaceAll('%25', '%')

const queryString = (fields: { [name: string]: unknown }): string =>
  Object.entries(fields)
    .map(([name, value]) => `${name}=${encodeURIComponent(plain(value).slice(0, 2000))}`)
    .join('&')

/** What may stand in a header at all. */
const headerValue = fc.oneof(
  fc.uuid(),
  fc.constantFrom('', 'a b', '\u00e9', 'A'.repeat(48), 'x'.repeat(300)),
  fc.string({ unit: 'grapheme-ascii', maxLength: 20 }).map((text) => text.trim()),
)

interface Body {
  headers: { [name: string]: string }
  bytes: Buffer
}

function bodyOf(
  { requestBody }: Operation,
  source: Source,
  files: readonly Buffer[],
): fc.Arbitrary<Body | null> {
  if (!requestBody) return fc.constant(null)
  const [[type, { schema }]] = Object.entries(requestBody.content) as [[string, { schema: Schema }]]
  const fitting =
    type === 'multipart/form-data'
      ? formOf(resolve(source.document, schema), source, files)
      : valueOf(source, schema).map((value) => ({
          headers: { 'content-type': type },
          bytes: Buffer.from(JSON.stringify(value)),
        }))
  return fc.oneof(
    { weight: 20, arbitrary: fitting },
    { weight: source.broken, arbitrary: fc.tuple(fitting, damage).map(([body, hurt]) => hurt(body)) },
    { weight: source.broken / 4, arbitrary: fc.constant(null) },
  )
}

const damage: fc.Arbitrary<(body: Body) => Body> = fc.oneof(
  fc.nat().map((at) => ({ headers, bytes }: Body) => ({
    headers,
    bytes: bytes.subarray(0, at % (bytes.length + 1)),
  })),
  fc
    .tuple(fc.nat(), fc.constantFrom('\0', '"', '{', ',', '\r\n', '--', '1e400', '\\u0000', '\xff'))
    .map(([at, text]) => ({ headers, bytes }: Body) => {
      const place = at % (bytes.length + 1)
      const inserted = Buffer.from(text, 'latin1')
      return { headers, bytes: Buffer.concat([bytes.subarray(0, place), inserted, bytes.subarray(place)]) }
    }),
  fc
    .constantFrom<{ [name: string]: string }>(
      { 'content-type': 'text/plain' },
      { 'content-type': 'application/json; charset=latin1' },
      { 'content-type': 'multipart/form-data' },
      { 'content-type': 'multipart/form-data; boundary=other' },
      { 'content-encoding': 'gzip' },
    )
    .map((changed) => ({ headers, bytes }: Body) => ({ headers: { ...headers, ...changed }, bytes })),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => ({ headers }: Body) => ({
    headers,
    bytes: Buffer.from(bytes),
  })),
)

const BOUNDARY = 'frontier'

function formOf(schema: Schema, source: Source, files: readonly Buffer[]): fc.Arbitrary<Body> {
  const parts = Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const field = resolve(source.document, property as Schema)
    const isFile = [field, field.items as Schema | undefined].some((part) => part?.format === 'binary')
    const part = isFile ? filePart(name, files) : fieldPart(name, valueOf(source, field, name))
    const minLength = isFile || schema.required?.includes(name) ? 1 : 0
    return fc.array(part, { minLength, maxLength: isFile && source.broken ? 2 : 1 })
  })
  const stray = fc.array(fieldPart('tags', nasty), { maxLength: source.broken ? 1 : 0 })
  return fc
    .tuple(...parts, stray)
    .map((parts) => parts.flat())
    .chain((parts) => fc.shuffledSubarray(parts, { minLength: parts.length }))
    .map((parts) => ({
      headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
      bytes: Buffer.concat([...parts, Buffer.from(`--${BOUNDARY}--\r\n`)]),
    }))
}

const partOf = (disposition: string, content: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n`),
    content,
    Buffer.from('\r\n'),
  ])

const fieldPart = (name: string, value: fc.Arbitrary<unknown>): fc.Arbitrary<Buffer> =>
  value.map((value) => partOf(`name="${name}"`, Buffer.from(plain(value))))

/** Files of every family, whole and with bytes changed or cut off, under names that fit and names that do not. */
function filePart(name: string, files: readonly Buffer[]): fc.Arbitrary<Buffer> {
  const filename = fc.oneof(
    fc.constantFrom('a.txt', 'b.md', 'c.csv', 'd.json', 'e.png', 'f.docx', 'g.glb', '../h.pdf', 'i.exe', ''),
    fc.string({ maxLength: 20 }).map((text) => `${text.replaceAll(/["\r\n\\]/g, '')}.txt`),
  )
  const content = fc.oneof(
    fc.lorem({ maxCount: 40 }).map((text) => Buffer.from(text)),
    fc.constantFrom('Whales sleep upright.', 'Iceland has many volcanoes.').map((text) => Buffer.from(text)),
    fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    fc.tuple(fc.constantFrom(...files), fc.nat(), fc.nat(255), fc.boolean()).map(([file, at, byte, cut]) => {
      const changed = Buffer.from(file)
      changed[at % file.length] = byte
      return cut ? changed.subarray(0, at % file.length) : changed
    }),
  )
  return fc
    .tuple(filename, content)
    .map(([filename, content]) => partOf(`name="${name}"; filename="${filename}"`, content))
}
