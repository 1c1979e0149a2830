#!/bin/sh
# Whether the log is what was recorded, and every read model what the log says, as exit code: for a job each night.
#   verify.sh [audit|log]   `log` where several processes share the log: none of them keeps the tree that `audit` needs
# It asks the server that MEDIALOG_URL and MEDIALOG_OPERATOR_TOKEN name, or the one of MEDIALOG_DATA_DIR.
cd "$(dirname "$0")/../.." || exit 1
PATH="$PWD/node_modules/.bin:$PATH"
failed=0
for subject in "${1:-audit}" projections; do
  node packages/cli/medialog.mjs "$subject" verify || failed=1
done
exit $failed
