import { readFileSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

/** Garbage over the first page of a table or index, as a bad disk leaves it: in the file itself, not in its log. */
export function damageTree(path: string, name: string): void {
  const database = new DatabaseSync(path, { readOnly: true })
  const row = database.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').get(name)
  database.close()
  const page = row!.rootpage as number
  overwrite(path, (size) => [(page - 1) * size, page * size])
}

/** Garbage over the middle of a file. */
export const damageMiddle = (path: string): void =>
  overwrite(path, (_, length) => [Math.floor(length / 3), Math.floor((length * 2) / 3)])

/** In place: processes that have the file open keep it. */
function overwrite(path: string, where: (pageSize: number, length: number) => [number, number]): void {
  const bytes = readFileSync(path)
  bytes.fill('garbage!', ...where(bytes.readUInt16BE(16), bytes.byteLength))
  writeFileSync(path, bytes, { flag: 'r+' })
}
