import { useEffect, useState } from 'react'

/** `value` once it has stayed the same for `ms` milliseconds: while one scrolls or types, nothing is asked for. */
export function useSettled<T>(value: T, ms: number): T {
  const [settled, setSettled] = useState(value)
  const same = JSON.stringify(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(JSON.parse(same) as T), ms)
    return () => clearTimeout(timer)
  }, [same, ms])
  return settled
}
