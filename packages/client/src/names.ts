import type { Declared, Input } from './declared.ts'

/** The parameters in a path, in its order. */
export const pathNames = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)

/** Refuses a name that nothing has, with the one that was meant. @throws TypeError */
export function requireKnown(what: string, given: object, known: readonly string[]): void {
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || known.includes(name)) continue
    const meant = known.find((one) => plain(one) === plain(name))
    throw new TypeError(
      `${what} takes no \`${name}\`: ${meant === undefined ? `it takes ${known.join(', ') || 'nothing'}` : `it is \`${meant}\``}.`,
    )
  }
}

/** `base_url`, `baseURL` and `baseUrl` are one name to who remembers it. */
const plain = (name: string): string => name.replaceAll('_', '').toLowerCase()

/**
 * The input and the options of a call whose ids may stand alone before them: `readMedia('doc_…', { include_chunks: true })`.
 * @throws TypeError
 */
export function argumentsOf<Options>(
  id: string,
  { path }: Pick<Declared, 'path'>,
  given: readonly unknown[],
): [Input, Options | undefined] {
  const names = pathNames(path)
  const ids = given.findIndex((one) => typeof one !== 'string')
  const alone = ids < 0 ? given : given.slice(0, ids)
  if (alone.length > names.length)
    throw new TypeError(
      `${id} takes ${names.length === 0 ? 'its parameters by name' : `${names.join(', ')} alone`}.`,
    )
  const [input = {}, options] = given.slice(alone.length) as [Input?, Options?]
  const whole = { ...input, ...Object.fromEntries(alone.map((value, index) => [names[index]!, value])) }
  return [whole, options]
}
