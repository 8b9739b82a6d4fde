#!/usr/bin/env bash
# Checks the CUDA parts on a machine with a GPU: parity of every operation with the CPU, compute-sanitizer, and the
# devices that were found; a short table last. Fails where there is no GPU.
#   scripts/gpu-check.sh [FOLDER]   FOLDER holds fovea and fovea_tests (default: build/, or FOVEA_BUILD_DIR)
set -uo pipefail
. "$(dirname "$0")/lib.sh"
folder=${1:-$build_dir}
export FOVEA_REQUIRE_GPU=1
rows=()
failed=0

# step NAME COMMAND...: runs it, keeps its last line for the table.
step() {
  local name=$1 log status
  shift
  say "$name: $*"
  log=$("$@" 2>&1)
  status=$?
  printf '%s\n' "$log" >&2
  [ $status = 0 ] || failed=1
  rows+=("$(printf '%-22s %-4s %s' "$name" "$([ $status = 0 ] && echo ok || echo FAIL)" "$(tail -n 1 <<<"$log")")")
}

devices() { "$folder/fovea" devices | grep '^cuda'; }
step devices devices
step parity "$folder/fovea_tests" '[cuda]'
if command -v compute-sanitizer >/dev/null; then
  for tool in memcheck racecheck initcheck; do
    step "$tool" compute-sanitizer --tool "$tool" --error-exitcode 9 "$folder/fovea_tests" '[cuda]'
  done
else
  rows+=("compute-sanitizer      not run: it is not on PATH")
fi

printf '\n'
printf '%s\n' "${rows[@]}"
exit $failed
