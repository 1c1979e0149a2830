import { Counter, Gauge, type Registry } from 'prom-client'

/** Metrics of a part that tells its status whenever they are read; none of them while it tells nothing. */
export function statusMetrics<Status>(registers: Registry[], ask: () => Promise<Status | null>) {
  return {
    /** Since the start. */
    counter: (name: string, help: string, count: (status: Status) => number): void => {
      void new Counter({
        name,
        help,
        registers,
        async collect() {
          const status = await ask()
          this.remove()
          if (status) this.inc(count(status))
        },
      })
    },
    /** Null where it is not known. */
    gauge: (name: string, help: string, value: (status: Status) => number | null): void => {
      void new Gauge({
        name,
        help,
        registers,
        async collect() {
          const status = await ask()
          const measured = status && value(status)
          if (measured === null) this.remove()
          else this.set(measured)
        },
      })
    },
  }
}
