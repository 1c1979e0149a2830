export { readArguments } from './arguments.ts'
export { InvalidConfiguration, readConfig, type Config } from './config.ts'
export type { Engines } from './engines.ts'
export { startService, type Service } from './service.ts'
