export { readArguments } from './arguments.ts'
export { InvalidConfiguration, readConfig, type Config } from './config.ts'
export { startService, type Engines, type Service } from './service.ts'
