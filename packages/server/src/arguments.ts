import { parseArgs } from 'node:util'
import { InvalidConfiguration } from './config-values.ts'
import { readRoles, type Role } from './roles.ts'

export interface Arguments {
  /** Null: all of them, alone. */
  roles: readonly Role[] | null
  /** Only look whether it could start. */
  check: boolean
  /** What `check` finds, for programs. */
  json: boolean
}

/** What follows `npm start --` or `medialog serve`. @throws InvalidConfiguration */
export function readArguments(words: readonly string[]): Arguments {
  const { role, check, json } = parsed(words)
  const roles = role === undefined ? null : readRoles(role.join(','))
  if (json && !check) throw new InvalidConfiguration('--json goes with --check.')
  return { roles, check, json }
}

function parsed(words: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...words],
      options: {
        role: { type: 'string', multiple: true },
        check: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
      },
    })
    return values
  } catch (error) {
    const known = 'known are --role <roles>, --check and --json'
    throw new InvalidConfiguration(`${(error as Error).message.split('. ')[0]}: ${known}.`)
  }
}
