import type { RouteContract } from '@medialog/contract/http'
import { issuesTold, type ToldIssue } from '@medialog/contract/issues'
import type { JsonObject } from '@medialog/kernel'
import type { z } from 'zod'
import { Refusal } from '../answers/refusal.ts'

/** One refusal for all issues: told in full for the first, by name for the rest. */
export function refusalOfIssues(route: RouteContract, issues: readonly z.core.$ZodIssue[]): Refusal {
  const told = issuesTold(issues, 'body')
  const [{ parameter, reason, message, issue }] = told as [ToldIssue]
  const params = issue.code === 'custom' ? issue.params : undefined
  const details: JsonObject = { parameter, reason, ...((params?.['details'] ?? {}) as JsonObject) }
  if (told.length > 1) details.errors = told.map((one) => ({ parameter: one.parameter, reason: one.reason }))
  return new Refusal(route.codeOf?.(issue) ?? route.invalid, message, details)
}

/** A refusal by shape that no schema found. */
export const invalid = (route: RouteContract, parameter: string, reason: string): Refusal =>
  new Refusal(route.invalid, `${parameter} ${reason}`, { parameter, reason })
