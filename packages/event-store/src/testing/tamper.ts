import { DatabaseSync } from 'node:sqlite'

/** Somebody's hand in the file of a log that nobody has open. */
export function tamper(path: string, ...statements: string[]): void {
  const database = new DatabaseSync(path)
  for (const statement of statements) database.exec(statement)
  database.close()
}
