import { InvalidConfiguration } from './config.ts'

const WHY: ReadonlyMap<string, string> = new Map(
  Object.entries({
    EADDRINUSE: 'is in use: stop what listens there, or choose another (0 takes any free one).',
    EACCES: 'may not be listened on by this user: choose one above 1023.',
  }),
)

/** Listens on the port that a setting named. @throws InvalidConfiguration where that cannot be, in words about the setting */
export async function listening<T>(setting: string, port: number, listen: () => Promise<T>): Promise<T> {
  try {
    return await listen()
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN')
      throw new InvalidConfiguration(`HOST is not an address of this machine: ${message}.`)
    const why = WHY.get(code ?? '')
    if (why) throw new InvalidConfiguration(`${setting} ${port} ${why}`)
    throw error
  }
}
