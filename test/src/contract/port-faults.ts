import type { Engines } from '@medialog/server'

type Method = (...args: unknown[]) => unknown
/** Stands in for a method of a port: `real` does what it would have done. */
export type Fault = (real: () => unknown, args: readonly unknown[]) => unknown

export interface Faults {
  /** The same engines, where every method asks first whether something stands in for it. */
  between(engines: Engines): Engines
  /** `fault` stands in for `port.method` while the work is done. */
  during<T>(place: `${keyof Engines}.${string}`, fault: Fault, work: () => Promise<T>): Promise<T>
}

export function createFaults(): Faults {
  const faults = new Map<string, Fault>()
  const faulty = (port: string, engine: object): object =>
    new Proxy(engine, {
      get(target, name) {
        const value = Reflect.get(target, name) as unknown
        if (typeof value !== 'function') return value
        const real = value.bind(target) as Method
        return (...args: unknown[]) => {
          const fault = faults.get(`${port}.${String(name)}`)
          return fault ? fault(() => real(...args), args) : real(...args)
        }
      },
    })
  return {
    between: (engines) =>
      Object.fromEntries(
        Object.entries(engines).map(([port, engine]) => [
          port,
          // Null: a port that this set of engines does not fill.
          typeof engine === 'object' && engine !== null
            ? faulty(port, engine as object)
            : (engine as unknown),
        ]),
      ) as unknown as Engines,
    async during(place, fault, work) {
      faults.set(place, fault)
      try {
        return await work()
      } finally {
        faults.delete(place)
      }
    },
  }
}

/** A gate that calls wait at. */
export function gate(): { reached: Promise<void>; open: () => void; pass: Fault } {
  const reached = Promise.withResolvers<void>()
  const opened = Promise.withResolvers<void>()
  return {
    reached: reached.promise,
    open: () => opened.resolve(),
    async pass(real) {
      reached.resolve()
      await opened.promise
      return real()
    },
  }
}
