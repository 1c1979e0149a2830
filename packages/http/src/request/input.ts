import type { RouteContract } from '@medialog/contract/http'
import type { z } from 'zod'
import type { EdgeContext } from '../exchange.ts'
import { describeIssue } from '@medialog/contract/issues'
import { invalid, refusalOfIssues } from './issues.ts'
import { readJson } from './json-body.ts'
import { textProblem } from './json-text.ts'

type Output<R, Part extends 'params' | 'query' | 'body'> =
  R extends Readonly<Record<Part, infer S extends z.ZodType>> ? z.output<S> : undefined

/** What a route's schemas make of a request. */
export interface Input<R> {
  params: Output<R, 'params'>
  query: Output<R, 'query'>
  body: Output<R, 'body'>
}

/** The same for any route: the handlers' types say what it is. */
export interface UntypedInput {
  params: unknown
  query: unknown
  body: unknown
}

/** Reads path, query string and JSON body, in that order. @throws Refusal, ClientGone */
export function inputReader(
  route: RouteContract,
  bodyTimeoutMs: number,
): (ctx: EdgeContext) => Promise<UntypedInput> {
  let defaults: unknown
  const readQuery = (ctx: EdgeContext): unknown => {
    // Probes of the public side may carry anything.
    if (!route.query) return undefined
    if (ctx.querystring)
      return parse(route, route.query, fieldsOf(route, new URLSearchParams(ctx.querystring)))
    return (defaults ??= parse(route, route.query, {}))
  }
  return async (ctx) => {
    const params: unknown = parse(route, route.params, ctx['params'])
    const query = readQuery(ctx)
    const body = route.body && parse(route, route.body, await readJson(ctx, route, bodyTimeoutMs))
    return { params, query, body }
  }
}

export function parse(route: RouteContract, schema: z.ZodType | undefined, input: unknown): unknown {
  if (!schema) return undefined
  const result = schema.safeParse(input, { error: describeIssue, reportInput: true })
  if (result.success) return result.data
  throw refusalOfIssues(route, result.error.issues)
}

/** Names with their one value each. A name of `Object.prototype` is a name like any other. */
export function fieldsOf(
  route: RouteContract,
  pairs: Iterable<[string, string]>,
): { [name: string]: string } {
  const fields = Object.create(null) as { [name: string]: string }
  for (const [name, value] of pairs) {
    if (name in fields) throw invalid(route, shown(name), 'is given twice')
    const problem = textProblem(name) ?? textProblem(value)
    if (problem) throw invalid(route, shown(name), problem)
    fields[name] = value
  }
  return fields
}

const shown = (name: string): string => name.replaceAll('\0', '').slice(0, 40).toWellFormed()
