/** As Koa writes it: the header that a text needs to be sent as JSON. */
export const JSON_TYPE = 'application/json; charset=utf-8'

/** A value as the JSON that an answer has of it: for what many answers hold, so that it is written once. */
export class WrittenJson<Value> {
  /** What it was written of: for the types alone. */
  declare readonly of: Value
  readonly text: string

  constructor(value: Value) {
    this.text = JSON.stringify(value)
  }
}

/** An answer, any part of which may be written already. */
export type MaybeWritten<Answer> = { [Part in keyof Answer]: Answer[Part] | WrittenJson<Answer[Part]> }

/** The JSON of an answer's parts, under names that contracts have; those that are undefined are left out. */
export function jsonOf(answer: { readonly [name: string]: unknown }): string {
  let text = ''
  for (const name in answer) {
    const part = answer[name]
    if (part === undefined) continue
    text += `${text && ','}"${name}":${part instanceof WrittenJson ? part.text : JSON.stringify(part)}`
  }
  return `{${text}}`
}
