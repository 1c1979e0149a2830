/** USD have nine decimals: as integers they add up exactly. */
export const nano = (usd: number): number => Math.round(usd * 1e9)

export const fromNano = (amount: number): number => amount / 1e9

export const sumOf = (amounts: readonly number[]): number =>
  fromNano(amounts.reduce((sum, amount) => sum + nano(amount), 0))
