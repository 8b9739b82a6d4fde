#!/usr/bin/env bash
# Builds Fovea and runs all its tests. Tests that need what a machine lacks (FOVEA_DATA, a GPU, Debian's photographs)
# are reported as not run.
#   --sanitize         build and run them with the address and undefined-behaviour sanitizers instead, into build-sanitize/
#   --sanitize readers the same for the tests of readers and of jobs alone, in the build of the fuzz targets (Clang), into
#                      build-fuzz/
#   --sanitize thread  the same tests with the thread sanitizer (Clang), into build-sanitize-thread/
#   --faults [JOB...]  instead let every file operation, allocation and thread of small jobs fail, one a run (hours; the tests
#                      sample them), see fovea_fault_walk --help
#   --fuzz [SECONDS]   instead give every reader of outside bytes hostile input for so long (60), see scripts/fuzz.sh
set -euo pipefail
. "$(dirname "$0")/lib.sh"

[ "${1:-}" = --fuzz ] && shift && exec "$root/scripts/fuzz.sh" "$@"

what=tests
case "$*" in
  '') ;;
  --sanitize) what=sanitize ;;
  '--sanitize readers') what=sanitize-readers ;;
  '--sanitize thread') what=sanitize-thread ;;
  --faults | '--faults '*) what=faults && shift ;;
  *)
    say "unknown arguments '$*'; there are --sanitize, --sanitize readers, --sanitize thread, --faults [JOB...] and --fuzz [SECONDS]"
    exit 2
    ;;
esac

# TBB and OpenCV keep memory until the process ends.
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=0} UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}

options=(-DCMAKE_BUILD_TYPE=Release)
[ $what != tests ] || install_packages "${python_packages[@]}"
case $what in
  sanitize)
    build_dir=${FOVEA_BUILD_DIR:-$root/build-sanitize}
    # Without CUDA: its runtime reserves address space that the address sanitizer wants.
    options=(-DCMAKE_BUILD_TYPE=RelWithDebInfo -DFOVEA_SANITIZE=address,undefined -DFOVEA_CUDA=OFF)
    ;;
  sanitize-readers)
    build_dir=${FOVEA_BUILD_DIR:-$root/build-fuzz}
    options=("${fuzz_options[@]}")
    install_packages "${fuzz_packages[@]}"
    ;;
  sanitize-thread)
    build_dir=${FOVEA_BUILD_DIR:-$root/build-sanitize-thread}
    options=("${fuzz_options[@]}" -DFOVEA_SANITIZE=thread)
    install_packages "${fuzz_packages[@]}"
    export TSAN_OPTIONS=${TSAN_OPTIONS:-suppressions=$root/tests/thread-sanitizer.supp second_deadlock_stack=1}
    ;;
  *)
    # Not with the sanitizers: their instrumentation makes GCC 12 see uninitialised values that are not there.
    [ -n "${FOVEA_WERROR:-}" ] && options+=("-DFOVEA_WERROR=$FOVEA_WERROR")
    ;;
esac

case $what in
  faults)
    build fovea_fault_walk "${options[@]}"
    "$build_dir/fovea_fault_walk" "$@"
    ;;
  sanitize-readers | sanitize-thread)
    build fovea_reader_tests "${options[@]}"
    "$build_dir/fovea_reader_tests"
    ;;
  *)
    build "fovea_tests fovea_fuzz_replay" "${options[@]}"
    FOVEA_BUILD_DIR=$build_dir "$root/scripts/run-tests.sh"
    ;;
esac
