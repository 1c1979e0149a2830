import { useRead } from './reads.ts'

/** USD for one of what the key names; null until it is known. */
export function usePrice(key: string): number | null {
  const { data } = useRead('readUsage', {})
  return data?.billing_summary.pricing[key] ?? null
}
