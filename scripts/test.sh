#!/usr/bin/env bash
# Builds Fovea and runs all its tests. Tests that need what a machine lacks (FOVEA_DATA, a GPU, Debian's photographs)
# are reported as not run.
#   --sanitize         build and run them with the address and undefined-behaviour sanitizers instead, into build-sanitize/
#   --fuzz [SECONDS]   instead give every reader of outside bytes hostile input for so long (60), see scripts/fuzz.sh
set -euo pipefail
. "$(dirname "$0")/lib.sh"

[ "${1:-}" = --fuzz ] && shift && exec "$root/scripts/fuzz.sh" "$@"

sanitize=no
options=(-DCMAKE_BUILD_TYPE=Release)
for argument in "$@"; do
  case $argument in
    --sanitize)
      sanitize=yes
      build_dir=${FOVEA_BUILD_DIR:-$root/build-sanitize}
      # Without CUDA: its runtime reserves address space that the address sanitizer wants.
      options=(-DCMAKE_BUILD_TYPE=RelWithDebInfo -DFOVEA_SANITIZE=address,undefined -DFOVEA_CUDA=OFF)
      # TBB and OpenCV keep memory until the process ends.
      export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=0} UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
      ;;
    *)
      say "unknown argument '$argument'; there are --sanitize and --fuzz"
      exit 2
      ;;
  esac
done
# Not with the sanitizers: their instrumentation makes GCC 12 see uninitialised values that are not there.
[ "$sanitize" = no ] && [ -n "${FOVEA_WERROR:-}" ] && options+=("-DFOVEA_WERROR=$FOVEA_WERROR")

build all "${options[@]}"
"$build_dir/fovea_tests"
"$build_dir/fovea_fuzz_replay" "$root/tests/data/fuzz"
