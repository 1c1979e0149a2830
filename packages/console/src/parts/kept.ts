import { useState } from 'react'

const nameOf = (name: string): string => `medialog.kept.${name}`

export const kept = (name: string): string => sessionStorage.getItem(nameOf(name)) ?? ''

export const keep = (name: string, text: string): void => sessionStorage.setItem(nameOf(name), text)

/** A text that outlives its view, a reload of the page and a key that is revoked: until one signs out. */
export function useKept(name: string): readonly [string, (text: string) => void] {
  const [text, setText] = useState(() => kept(name))
  return [
    text,
    (next) => {
      keep(name, next)
      setText(next)
    },
  ]
}

export function forgetKept(): void {
  for (const name of Object.keys(sessionStorage))
    if (name.startsWith(nameOf(''))) sessionStorage.removeItem(name)
}
