# Runs in Temporal's admin-tools: databases and tables where they are missing, newer tables where they are older.
set -eu
for database in temporal temporal_visibility; do
  tool() { temporal-sql-tool --plugin postgres12 --endpoint temporal-database --port 5432 --user temporal --database "$database" "$@"; }
  tool create-database
  tool setup-schema --version 0.0
  tool update-schema --schema-dir "/etc/temporal/schema/postgresql/v12/${database#temporal_}/versioned"
done
