import { DatabaseSync } from 'node:sqlite'

/** Until it is disposed of, statements that contain `fragment` are prepared as `otherwise` says, in this thread. */
export function preparedOtherwise(fragment: string, otherwise: () => string): Disposable {
  const prepare = Reflect.get(DatabaseSync.prototype, 'prepare')
  DatabaseSync.prototype.prepare = function (sql) {
    return prepare.call(this, sql.includes(fragment) ? otherwise() : sql)
  }
  return { [Symbol.dispose]: () => void (DatabaseSync.prototype.prepare = prepare) }
}
