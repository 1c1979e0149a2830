import type { ProviderStatus } from '@medialog/application'
import { Counter, Gauge, type Registry } from 'prom-client'

const OUTCOMES = ['succeeded', 'failed', 'refused'] as const

/** What is measured of the models of providers; nothing where none is configured. */
export function registerProviderMetrics(
  registers: Registry[],
  providers: () => Promise<readonly ProviderStatus[]>,
): void {
  /** How a metric is filled anew, a model at a time, whenever it is read. */
  const measured = <Metric extends { reset(): void }, Label extends string>(
    name: string,
    help: string,
    labelNames: Label[],
    fill: (metric: Metric, provider: ProviderStatus) => void,
  ) => ({
    name,
    help,
    labelNames,
    registers,
    async collect(this: Metric) {
      const all = await providers()
      this.reset()
      for (const provider of all) fill(this, provider)
    },
  })
  const counter = <Label extends string>(...of: Parameters<typeof measured<Counter<Label>, Label>>) =>
    new Counter<Label>(measured(...of))
  const gauge = <Label extends string>(...of: Parameters<typeof measured<Gauge<Label>, Label>>) =>
    new Gauge<Label>(measured(...of))
  counter(
    'medialog_provider_calls_total',
    'Calls of models of providers; refused ones were not made, for the breaker, the budget, or too many at once.',
    ['use', 'model', 'outcome'],
    (counter, { use, model, calls }) => {
      for (const outcome of OUTCOMES) counter.inc({ use, model, outcome }, calls[outcome])
    },
  )
  counter(
    'medialog_provider_tokens_total',
    'Tokens that calls of models of providers took.',
    ['use', 'model'],
    (counter, { use, model, calls }) => counter.inc({ use, model }, calls.tokens),
  )
  gauge(
    'medialog_provider_breaker_open',
    'Whether a model of a provider is not asked because it failed repeatedly (1), or is tried again.',
    ['use', 'model'],
    (gauge, { use, model, breaker }) => gauge.set({ use, model }, Number(breaker !== 'closed')),
  )
  gauge(
    'medialog_provider_tokens_left',
    'Tokens that are left of the budget of this hour, which all models share; nothing without a budget.',
    [],
    (gauge, { tokensLeft }) => {
      if (tokensLeft !== null) gauge.set(tokensLeft)
    },
  )
}
