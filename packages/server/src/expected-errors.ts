import { EngineUnavailable } from '@medialog/application'
import { UnusableBucket } from '@medialog/artifacts'
import { DataFolderInUse, LogDamaged } from '@medialog/event-store'
import { LanguageNotInstalled } from '@medialog/understanding'
import { InvalidConfiguration } from './config-values.ts'
import { UnusableDataFolder } from './embedded/data-folder.ts'

/** What names in its own words the setting or the file, and what to do. */
const SPEAKING = [InvalidConfiguration, UnusableDataFolder, DataFolderInUse, LanguageNotInstalled, LogDamaged]

export const namesItsCure = (error: unknown): boolean => SPEAKING.some((kind) => error instanceof kind)

/** What a person can mend: a line says it; anything else is a fault of the program, shown with its stack. */
export const isForPeople = (error: unknown): boolean =>
  namesItsCure(error) || error instanceof UnusableBucket || error instanceof EngineUnavailable
