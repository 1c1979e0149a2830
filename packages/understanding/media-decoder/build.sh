#!/bin/sh
# Makes decoder.wasm from the release of FFmpeg and the compiler named below.
#   sh build.sh ffmpeg-7.1.5.tar.xz [output]
# Needs zig 0.17.1 as ZIG (`pip install ziglang==0.17.1`, then ZIG="python3 -m ziglang"), make and a POSIX shell.
set -eu

archive=$(realpath "$1")
here=$(dirname "$(realpath "$0")")
output=$(realpath -m "${2:-$here/decoder.wasm}")
zig=${ZIG:-zig}

echo "de668509caf9e35e3cd162473441fdb29538c6d96ed080292b3cf9e6fc5d558f  $archive" | sha256sum -c -
test "$($zig version)" = 0.17.1

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
# 128-bit SIMD is in every WebAssembly engine that Node 24 may bring.
printf '#!/bin/sh\nexec %s cc -target wasm32-wasi -mcpu=generic+simd128+bulk_memory "$@"\n' "$zig" > cc
printf '#!/bin/sh\nexec %s ar "$@"\n' "$zig" > ar
printf '#!/bin/sh\nexec %s ranlib "$@"\n' "$zig" > ranlib
chmod +x cc ar ranlib

mkdir source
tar -xJf "$archive" -C source --strip-components 1
cd source

# Nothing under the GPL, no protocol, no file, no network, no encoder but that of the small pictures.
demuxers=mov,matroska,avi,mpegps,mpegvideo,mpegts,asf,aac,mp3,flac,ogg,wav,aiff
video=h264,hevc,mpeg1video,mpeg2video,mpeg4,msmpeg4v1,msmpeg4v2,msmpeg4v3,wmv1,wmv2,wmv3,vc1,vp8,vp9,h263,mjpeg,prores,dvvideo,theora,svq3,rawvideo
audio=aac,mp3,mp2,mp1,wmav1,wmav2,wmapro,wmalossless,vorbis,opus,flac,alac,adpcm_ima_wav,adpcm_ms,adpcm_ima_qt
pcm=pcm_s8,pcm_u8,pcm_s16le,pcm_s16be,pcm_s24le,pcm_s24be,pcm_s32le,pcm_s32be,pcm_f32le,pcm_f32be,pcm_f64le,pcm_f64be,pcm_alaw,pcm_mulaw
parsers=h264,hevc,mpegvideo,mpeg4video,h263,vc1,vp8,vp9,mjpeg,aac,aac_latm,mpegaudio,vorbis,opus,flac
./configure --cc="$work/cc" --ar="$work/ar" --ranlib="$work/ranlib" \
  --enable-cross-compile --target-os=none --arch=wasm32 --optflags=-O3 --extra-cflags=-ffile-prefix-map="$work"=. \
  --disable-asm --disable-pthreads --disable-network --disable-autodetect --disable-everything --disable-programs \
  --disable-doc --disable-avdevice --disable-avfilter --disable-postproc --disable-debug --disable-runtime-cpudetect \
  --disable-stripping --enable-demuxer=$demuxers --enable-decoder=$video,$audio,$pcm --enable-parser=$parsers \
  --enable-encoder=mjpeg --enable-bsf=vp9_superframe_split
# The compiler's headers name mmap and then refuse it.
sed -i 's/#define HAVE_MMAP 1/#define HAVE_MMAP 0/' config.h
# Not part of what a build is about, and different in each folder.
sed -i 's/^#define FFMPEG_CONFIGURATION .*/#define FFMPEG_CONFIGURATION ""/' config.h
make -j"$(nproc)"

# At most 640 MB of memory, 2 MB of it stack.
"$work/cc" -std=c17 -O3 -I. -mexec-model=reactor -s -o "$output" "$here/decoder.c" \
  libavformat/libavformat.a libavcodec/libavcodec.a libswscale/libswscale.a libswresample/libswresample.a \
  libavutil/libavutil.a -lm -Wl,--max-memory=671088640 -Wl,-z,stack-size=2097152
chmod 644 "$output"
