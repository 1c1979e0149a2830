import packageJson from '../package.json' with { type: 'json' }

/** Of the software. */
export const VERSION = (packageJson as { version: string }).version
