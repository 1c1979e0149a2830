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
# The native runtime loads here; this one is for systems where it does not.
rm -rf onnxruntime-web
# One build of the reader of print, with the data that it is given.
find tesseract.js-core -type f -name 'tesseract-core*' ! -name 'tesseract-core-simd-lstm.js' \
  ! -name 'tesseract-core-simd-lstm.wasm' -delete
rm -rf @tesseract.js-data/*/4.0.0
# Of pdf.js its tables: the code is unpdf's. Nothing is drawn.
rm -rf @napi-rs pdfjs-dist/build pdfjs-dist/legacy pdfjs-dist/types pdfjs-dist/web
rm -f officeparser/dist/officeparser.browser*
# Workflows are bundled already: what bundles them is named by the worker's library, and never called.
for name in webpack memfs unionfs; do
  [ -d "$name" ] || { echo "slim.sh: there is no $name: what does the worker's library bundle with now?" >&2; exit 1; }
  find "$name" -mindepth 1 -delete
  echo "{ \"name\": \"$name\", \"main\": \"index.js\" }" >"$name/package.json"
  echo 'module.exports = {}' >"$name/index.js"
done
rm -rf @swc swc-loader @jsonjoy.com terser terser-webpack-plugin caniuse-lite electron-to-chromium @webassemblyjs @types
find . -name '*.map' -type f -delete
