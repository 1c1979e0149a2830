/** A form of the reference page, filled in. */
export interface Filled {
  method: string
  /** With `{name}` where a field in the path goes. */
  path: string
  secret: { header: string; prefix: string; value: string } | null
  fields: {
    /** `json` is the whole body, `form` a part of one. */
    in: 'path' | 'query' | 'header' | 'json' | 'form'
    name: string
    value: string
    files?: readonly File[]
  }[]
}

/** The request that a form stands for: fields left empty are not sent. */
export function requestOf(filled: Filled): {
  url: string
  init: { method: string; headers: { [name: string]: string }; body?: string | FormData }
}

/** JSON set out for eyes; anything else as it is. */
export function readable(text: string): string
