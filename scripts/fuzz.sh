#!/usr/bin/env bash
# Fuzzes every reader of outside bytes (tests/fuzz) with libFuzzer, address and undefined-behaviour sanitizers: builds
# into build-fuzz/, starts from the inputs in tests/data/fuzz, prints a table and fails if a reader breaks its contract.
#   SECONDS   for each target (60); as many targets run at a time as there are processors
#   TARGET... these alone; without them all
# FOVEA_FUZZ_SEED=N makes the same inputs every time, in the same order; without it no two runs are alike.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

seconds=${1:-60}
case $seconds in '' | *[!0-9]*) say "'$seconds' is no number of seconds; usage: scripts/fuzz.sh [SECONDS [TARGET...]]"; exit 2 ;; esac
shift || true
build_dir=${FOVEA_BUILD_DIR:-$root/build-fuzz}
install_packages "${fuzz_packages[@]}"
build fovea_fuzz "${fuzz_options[@]}"

program=$build_dir/fovea_fuzz
findings=$build_dir/findings
logs=$build_dir/fuzz-logs
rm -rf "$logs"
mkdir -p "$findings" "$logs"
# In memory where that can be: targets write the files that they give to the readers.
scratch=$(mktemp -d "$([ -w /dev/shm ] && echo /dev/shm || echo "${TMPDIR:-/tmp}")/fovea-fuzz-XXXXXX")
trap 'rm -rf "$scratch"' EXIT

# Some containers let no process trace another, which looking for leaks needs: every target would fail for that alone.
leaks=1
if FOVEA_FUZZ_TARGET=exif TMPDIR=$scratch "$program" -runs=1 "$root/tests/data/fuzz/exif" 2>&1 |
  grep 'LeakSanitizer has encountered a fatal error' >/dev/null; then
  say "leaks are not looked for: this system lets no process trace another"
  leaks=0
fi

# fuzz NAME DICTIONARY LONGEST: one target; what it says goes to a log, how it ended beside it.
fuzz() {
  local name=$1 dictionary=$2 longest=$3 code=0
  local options=(-max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len="$longest" -print_final_stats=1
    -detect_leaks=$leaks -reload=0 -artifact_prefix="$findings/$name-")
  [ -z "${FOVEA_FUZZ_SEED:-}" ] || options+=(-seed="$FOVEA_FUZZ_SEED")
  [ "$dictionary" = - ] || options+=(-dict="$root/tests/fuzz/dictionaries/$dictionary")
  mkdir -p "$build_dir/corpus/$name"
  FOVEA_FUZZ_TARGET=$name TMPDIR=$scratch UBSAN_OPTIONS=print_stacktrace=1 ASAN_OPTIONS=detect_leaks=$leaks \
    "$program" "${options[@]}" "$build_dir/corpus/$name" "$root/tests/data/fuzz/$name" >"$logs/$name.log" 2>&1 || code=$?
  echo "$code" >"$logs/$name.code"
}

FOVEA_FUZZ_TARGET=all "$program" >"$logs/targets"
for name in "$@"; do
  grep -q "^$name " "$logs/targets" || { say "there is no target '$name'; there are: $(cut -d' ' -f1 "$logs/targets" | paste -sd' ')"; exit 2; }
done
while read -r name dictionary longest; do
  [ $# -gt 0 ] && [[ " $* " != *" $name "* ]] && continue
  while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do wait -n; done
  fuzz "$name" "$dictionary" "$longest" &
done <"$logs/targets"
wait

failed=()
printf '%-20s %12s %9s %8s  %s\n' target executions coverage seconds verdict
while read -r name _; do
  [ -e "$logs/$name.code" ] || continue
  log=$logs/$name.log
  executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  coverage=$(sed -n 's/.*cov: \([0-9]*\).*/\1/p' "$log" | tail -1)
  took=$(sed -n 's/^Done [0-9]* runs in \([0-9]*\) second.*/\1/p' "$log")
  verdict=passed
  # A target that was given nothing has not passed.
  if [ "$(cat "$logs/$name.code")" != 0 ] || [ -z "$executions" ]; then
    verdict=FAILED
    failed+=("$name")
  fi
  printf '%-20s %12s %9s %8s  %s\n' "$name" "${executions:--}" "${coverage:--}" "${took:--}" "$verdict"
done <"$logs/targets"

for name in "${failed[@]}"; do
  say "$name: $(grep -m1 -E 'ERROR: |runtime error|not an Error|ALARM' "$logs/$name.log" || echo "ended with $(cat "$logs/$name.code")"); all of it is in $logs/$name.log"
  input=$(sed -n 's/.*Test unit written to //p' "$logs/$name.log" | tail -1)
  [ -z "$input" ] || say "  again: FOVEA_FUZZ_TARGET=$name $program $input; once mended, keep the input in tests/data/fuzz/$name"
done
[ ${#failed[@]} = 0 ]
