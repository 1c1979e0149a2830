import { describeCatalogContract } from '../../testing/catalog-contract.ts'
import { openSqliteEngine } from '../../testing/sqlite-engine.ts'

describeCatalogContract('SQLite', openSqliteEngine)
