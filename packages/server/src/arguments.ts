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
  help: boolean
}

export const HELP = `Usage: npm start -- [options]

Serves Medialog until SIGTERM or SIGINT. Settings are variables of the environment: docs/configuration.md.

  --role <roles>  some of api, worker, projections and publisher, one per option or joined by commas; without it, all of
                  them in one process
  --check         looks whether it could start, says what is missing or does not answer, and ends
  --json          what --check finds, for programs
  -h, --help      prints this`

/** What follows `npm start --` or `medialog serve`. @throws InvalidConfiguration */
export function readArguments(words: readonly string[]): Arguments {
  const { role, check, json, help } = parsed(words)
  const roles = role === undefined ? null : readRoles(role.join(','))
  if (json && !check) throw new InvalidConfiguration('--json goes with --check.')
  return { roles, check, json, help }
}

function parsed(words: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...words],
      options: {
        role: { type: 'string', multiple: true },
        check: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
    return values
  } catch (error) {
    const known = 'known are --role <roles>, --check, --json and --help'
    throw new InvalidConfiguration(`${(error as Error).message.split('. ')[0]}: ${known}.`)
  }
}
