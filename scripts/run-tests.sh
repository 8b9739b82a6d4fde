#!/usr/bin/env bash
# Runs the tests that are built: scripts/run-tests.sh [ARGUMENT...]. The arguments are those of Catch2, e.g. '[cli]'.
# All parts, fovea_tests_*, get them one after the other; the last line counts what they did. Without arguments
# ctest runs the parts side by side, and more tests that do not run than a machine may lack fail, too.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

# Tests that report "not run": without a GPU 113 with the data and 130 without them; a few more where packages lack.
max_skipped=150
[ -n "${FOVEA_DATA:-}" ] && max_skipped=115

parts=("$build_dir"/fovea_tests_*)
if [ ! -x "${parts[0]}" ]; then
  say "there are no tests in $build_dir: build them with scripts/test.sh"
  exit 2
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT

status=0
if [ $# = 0 ]; then
  ctest --test-dir "$build_dir" --parallel "$(nproc)" --output-on-failure || status=$?
  cp "$build_dir/Testing/Temporary/LastTest.log" "$log"
else
  for part in "${parts[@]}"; do
    "$part" "$@" | grep -v '^No test cases matched' | tee -a "$log"
    [ "${PIPESTATUS[0]}" = 0 ] || status=1
  done
fi

read -r passed failed skipped <<<"$(counted_tests "$log")"
if [[ "$*" = --list* ]]; then
  exit "$status"
elif [ $((passed + failed + skipped)) = 0 ]; then
  say "no test has these words: $*"
  status=2
elif [ $# = 0 ] && [ "$skipped" -gt "$max_skipped" ]; then
  say "$skipped tests did not run, and at most $max_skipped may: the output says what each lacks"
  grep -h 'not run:' "$log" | sort | uniq -c | sort -rn | head -n 20 >&2
  status=1
fi
echo "$passed passed, $failed failed, $skipped skipped"
exit "$status"
