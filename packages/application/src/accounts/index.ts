import type { Principal } from '../core/context.ts'
import { accountCommands, type AccountCommands, type CommandPorts } from './account-commands.ts'
import { createAuthenticate, type AuthenticatePorts } from './authenticate.ts'

export interface AccountUseCases extends AccountCommands {
  /** The owner of an API key. @throws InvalidApiKey */
  authenticate(apiKey: string | undefined): Promise<Principal>
}

export const accounts = (ports: AuthenticatePorts & CommandPorts): AccountUseCases => ({
  authenticate: createAuthenticate(ports),
  ...accountCommands(ports),
})
