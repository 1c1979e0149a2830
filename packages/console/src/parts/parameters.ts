import { useSearchParams } from 'wouter'

/** Values of the address to change; null and empty ones are taken out of it. */
type Changes = { readonly [name: string]: string | null }

/** The parameters of the address, and a way to change some of them; with `replace` there is no way back to the ones before. */
export function useParameters() {
  const [parameters, setParameters] = useSearchParams()
  const change = (changes: Changes, replace = false): void =>
    setParameters(
      (old) => {
        const next = new URLSearchParams(old)
        for (const [name, value] of Object.entries(changes))
          if (value) next.set(name, value)
          else next.delete(name)
        return next
      },
      { replace },
    )
  return [parameters, change] as const
}
