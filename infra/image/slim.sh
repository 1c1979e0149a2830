#!/bin/sh
# Takes out of node_modules what no process of the service loads: binaries of other platforms, builds for browsers,
# sources of native code, source maps. Half of the image. Runs in its build stage.
set -eu
cd node_modules
arch=$(node --print process.arch)
only() { # of the entries of folder $1 the one named $2 stays
  [ -e "$1/$2" ] || { echo "slim.sh: there is no $1/$2: where do binaries of this platform lie now?" >&2; exit 1; }
  find "$1" -mindepth 1 -maxdepth 1 ! -name "$2" -exec rm -rf {} +
}

# The image has Node from its base.
rm -rf node-linux-* .bin/node
only onnxruntime-node/bin/napi-v6 linux
only onnxruntime-node/bin/napi-v6/linux "$arch"
case $arch in x64) triple=x86_64-unknown-linux-gnu ;; arm64) triple=aarch64-unknown-linux-gnu ;; esac
only @temporalio/core-bridge/releases "$triple"
rm -rf @temporalio/core-bridge/sdk-core
# What Node loads where the native runtime does not.
find onnxruntime-web/dist -type f ! -name 'ort.node.min.*js' ! -name 'ort-wasm-simd-threaded.mjs' \
  ! -name 'ort-wasm-simd-threaded.wasm' -delete
find . -name '*.map' -type f -delete
