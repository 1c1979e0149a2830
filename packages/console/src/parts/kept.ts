import { useState } from 'react'

const nameOf = (name: string): string => `medialog.kept.${name}`

/** A text that outlives its view, a reload of the page and a key that is revoked: until one signs out. */
export function useKept(name: string): readonly [string, (text: string) => void] {
  const [text, setText] = useState(() => sessionStorage.getItem(nameOf(name)) ?? '')
  return [
    text,
    (next) => {
      sessionStorage.setItem(nameOf(name), next)
      setText(next)
    },
  ]
}

export function forgetKept(): void {
  for (const name of Object.keys(sessionStorage))
    if (name.startsWith(nameOf(''))) sessionStorage.removeItem(name)
}
