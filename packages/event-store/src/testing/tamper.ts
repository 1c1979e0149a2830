import { DatabaseSync } from 'node:sqlite'

/** An intruder's changes in the file of a log that no process has open. */
export function tamper(path: string, ...statements: string[]): void {
  const database = new DatabaseSync(path)
  for (const statement of statements) database.exec(statement)
  database.close()
}
