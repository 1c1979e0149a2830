import { defineSearchAttributeKey, SearchAttributeType, TypedSearchAttributes } from '@temporalio/common'
import type { Uuid } from '@medialog/kernel'
import { refusalOfCall } from './failed-call.ts'

/** What a workflow is found by: whose it is, and which item or batch it is about. */
export interface Subjects {
  account: Uuid
  media?: Uuid
  batch?: Uuid
}

const KEYS = {
  account: defineSearchAttributeKey('MedialogAccount', SearchAttributeType.KEYWORD),
  media: defineSearchAttributeKey('MedialogMedia', SearchAttributeType.KEYWORD),
  batch: defineSearchAttributeKey('MedialogBatch', SearchAttributeType.KEYWORD),
} as const
const NAMES: readonly string[] = Object.values(KEYS).map(({ name }) => name)
/** The type of all of them, as the server numbers it. */
const KEYWORD = 2

/** A server takes up to a minute to use what was registered, and an operator longer to register it. */
const LOOK_AGAIN_MS = 60_000
/** gRPC's INVALID_ARGUMENT. */
const INVALID_ARGUMENT = 3

/** Whether a start was refused for an attribute that the server does not know (yet). */
export function isUnknownAttribute(error: unknown): boolean {
  const refusal = refusalOfCall(error)
  return refusal?.code === INVALID_ARGUMENT && /search attribute/i.test(refusal.details)
}

/** The attributes that a namespace has beside the server's own: numbers of types by name. */
export interface AttributeRegistry {
  list(): Promise<{ readonly [name: string]: number }>
  add(attributes: { readonly [name: string]: number }): Promise<unknown>
}

/**
 * The search attributes of one namespace: registered where they are not and where that is allowed, else left out of what is
 * started. They are for people who look for workflows: nothing is decided by them, and nothing fails for want of them.
 */
export class SearchAttributes {
  readonly #registry: AttributeRegistry
  readonly #now: () => number
  #known: Promise<ReadonlySet<string>> = Promise.resolve(new Set<string>())
  #lookAt = -Infinity

  constructor(registry: AttributeRegistry, now: () => number = () => performance.now()) {
    this.#registry = registry
    this.#now = now
  }

  /** Those that the namespace is known to have. Never throws. */
  async of(subjects: Subjects): Promise<TypedSearchAttributes> {
    const known = await this.#look()
    const pairs = Object.entries(subjects).map(([subject, value]) => ({
      key: KEYS[subject as keyof Subjects],
      value: value as string,
    }))
    return new TypedSearchAttributes(pairs.filter(({ key }) => known.has(key.name)))
  }

  /** The server does not know them after all: they are left out for a while. */
  forget(): void {
    this.#known = Promise.resolve(new Set<string>())
    this.#lookAt = this.#now() + LOOK_AGAIN_MS
  }

  /** One look for all who ask at the same time. */
  async #look(): Promise<ReadonlySet<string>> {
    const known = await this.#known
    if (known.size === NAMES.length || this.#now() < this.#lookAt) return this.#known
    this.#lookAt = this.#now() + LOOK_AGAIN_MS
    this.#known = this.#registered().catch(() => known)
    return this.#known
  }

  async #registered(): Promise<ReadonlySet<string>> {
    const there = await this.#list()
    const missing = NAMES.filter((name) => !there.has(name))
    if (missing.length === 0) return there
    try {
      await this.#registry.add(Object.fromEntries(missing.map((name) => [name, KEYWORD])))
    } catch {
      // Another process was first, or it is not for us to do: what is there now tells.
    }
    return this.#list()
  }

  async #list(): Promise<ReadonlySet<string>> {
    const attributes = await this.#registry.list()
    return new Set(NAMES.filter((name) => attributes[name] === KEYWORD))
  }
}
