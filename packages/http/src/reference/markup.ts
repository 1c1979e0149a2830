const ENTITIES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
  }),
)

/** Text made safe for HTML. */
export const textOf = (plain: string): string =>
  plain.replaceAll(/[&<>"]/g, (character) => ENTITIES.get(character)!)

/** The same, with `code` set as code. */
export const inlineMarkup = (plain: string): string =>
  textOf(plain).replaceAll(/`([^`]+)`/g, '<code>$1</code>')
