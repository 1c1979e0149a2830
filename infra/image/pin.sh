#!/bin/sh
# Pins each image that the Dockerfile and Compose name to the digest that its tag has now: `name:tag@sha256:…`.
#   pin.sh           writes the digests: look at the difference, and commit it
#   pin.sh --check   writes nothing; exit code 1 where an image has no digest, or another one than its tag has now
# It asks the registries, by `docker buildx imagetools`.
set -eu
cd "$(dirname "$0")/../.."
status=0
for file in Dockerfile infra/compose.yaml; do
  # `scratch` is none.
  for named in $(sed -nE 's/^(FROM| *image:) ([^ $]+:[^ $]+).*$/\2/p' "$file" | sort -u); do
    image=${named%%@*}
    digest=$(docker buildx imagetools inspect "$image" --format '{{.Manifest.Digest}}')
    case $digest in
    sha256:*) ;;
    *)
      echo "pin.sh: the registry names no digest of $image" >&2
      exit 1
      ;;
    esac
    pinned=$image@$digest
    if [ "$named" = "$pinned" ]; then continue; fi
    if [ "${1:-}" = --check ]; then
      echo "$file: $named, and the registry has $digest" >&2
      status=1
      continue
    fi
    changed=$(sed -E "s#^(FROM| *image:) $named( .*)?\$#\1 $pinned\2#" "$file")
    printf '%s\n' "$changed" >"$file"
    echo "$file: $pinned"
  done
done
exit $status
