import { readFileSync } from 'node:fs'
import type { NewEvent } from '@medialog/kernel'
import { readArguments, readConfig, startService, type Engines } from '@medialog/server'
import { killPlanOf, type KillPlan } from './kill-plan.ts'

/**
 * The server, or some of its roles, killed with SIGKILL at one of the awaited calls of its engines once SIGUSR2 armed it, or from
 * its start by the plan in `KILL_PLAN`.
 */
const config = readConfig(process.env, readArguments(process.argv.slice(2)).roles)
const { KILL_PLAN } = process.env
let plan = KILL_PLAN === undefined ? null : (JSON.parse(KILL_PLAN) as KillPlan)
let calls = 0

process.on('SIGUSR2', () => {
  plan = JSON.parse(readFileSync(killPlanOf(config.dataFolder), 'utf8')) as KillPlan
  console.error('armed')
})

const die = (): Promise<never> => {
  process.kill(process.pid, 'SIGKILL')
  return new Promise(() => undefined)
}

/** Whether the call counts: an append by its method, its third argument the events. */
function isPoint(name: string, args: readonly unknown[]): boolean {
  if (plan === null) return false
  const { of = name } = plan
  return of === name || (name === 'append' && (args[2] as NewEvent[]).some(({ type }) => type === of))
}

/** The same engine, every asynchronous method of which is a point at which the process may die. */
function killable<T extends object>(engine: T, methods: readonly (keyof T)[]): T {
  return new Proxy(engine, {
    get(target, name) {
      const value = Reflect.get(target, name) as unknown
      if (typeof value !== 'function') return value
      const method = value.bind(target) as (...args: unknown[]) => unknown
      if (!methods.includes(name as keyof T)) return method
      return async (...args: unknown[]) => {
        const dies = isPoint(String(name), args) && ++calls === plan!.at ? plan!.when : null
        if (dies === 'before') await die()
        try {
          return await method(...args)
        } finally {
          // Also where it failed: a walk that passed over that point would end there.
          if (dies === 'after') await die()
        }
      }
    },
  })
}

const adapt = (engines: Engines): Engines => ({
  ...engines,
  eventStore: killable(engines.eventStore, ['append']),
  artifacts: killable(engines.artifacts, ['put', 'add', 'retain', 'deleteIngest']),
  staging: killable(engines.staging, ['stage', 'reopen', 'release']),
  understanding: killable(engines.understanding, ['understand', 'embed', 'read']),
  languageModel: killable(engines.languageModel, ['countTokens', 'analyze']),
  keptAnswers: killable(engines.keptAnswers, ['put', 'get']),
  catalog: killable(engines.catalog, ['content']),
  projections: killable(engines.projections, ['reached']),
  search: {
    ...engines.search,
    prepare: async (query) => killable(await engines.search.prepare(query), ['advanced']),
  },
})

const service = await startService(config, { adapt })
console.log(service.greeting)
process.on('SIGTERM', () => void service.close().then(() => process.exit(0)))
