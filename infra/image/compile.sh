#!/bin/sh
# Lets Node keep what it compiles, in $NODE_COMPILE_CACHE, so that no container compiles it again: starts the service once
# ($@), and loads what one start leaves out. Run as the user of the image, whose id is in the name of what is kept.
set -eu
MEDIALOG_DATA_DIR=$(mktemp -d)
export MEDIALOG_DATA_DIR
"$@" &
service=$!
tries=0
until node infra/image/healthcheck.ts; do
  tries=$((tries + 1))
  [ $tries -lt 60 ] || { echo 'compile.sh: the service does not start.' >&2; exit 1; }
  sleep 1
done
kill $service
wait $service
rm -rf "$MEDIALOG_DATA_DIR"
node packages/understanding/src/pool/compile.ts
node infra/image/compile.ts
