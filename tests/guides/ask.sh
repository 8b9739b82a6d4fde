#!/usr/bin/env bash
# ask.sh FOVEA: asks a program with the additions of this folder for all that they add. The last line counts.
set -euo pipefail
fovea=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
passed=0
failed=0

# ask WORDS PATTERN COMMAND...: the output must have a line of the pattern.
ask() {
  local words=$1 pattern=$2 output
  shift 2
  if output=$("$@" 2>&1) && grep -Eq -- "$pattern" <<<"$output"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf '%s: no line of "%s" in the output of "%s":\n%s\n' "$words" "$pattern" "$*" "$output" >&2
  fi
}

image() { printf 'P5\n100 80\n255\n' && head -c 8000 /dev/zero; }

mkdir -p photos set/v/img1 set/v/gt
image >photos/a.pgm
printf 'TOY1\n30 20 40 40 a.pgm\n' >photos/boxes.toy
echo 0.5 >half.centre
for frame in 1 2 3; do
  image >"set/v/img1/00000$frame.pgm"
  echo "$frame,1,30,20,40,40,1,1,1" >>set/v/gt/gt.txt
  echo "$frame,7,30,20,40,40,1,-1,-1,-1" >>v.txt
done

"$fovea" detect photos/a.pgm --model half.centre --device cpu --out results.jsonl --quiet
ask 'a detector finds its box' '"box":\[30,20,40,40\]' cat results.jsonl
ask 'a detector stands in the help' 'share of the image' "$fovea" detect --help
ask 'a format is recognised' '"average_precision": 1\.0' \
  "$fovea" evaluate detection --dataset photos/boxes.toy --results results.jsonl --json
ask 'a protocol has its number' '"error": 0\.0' \
  "$fovea" evaluate detection --dataset photos/boxes.toy --results results.jsonl --protocol count --json
ask 'a protocol stands in the help' 'count' "$fovea" evaluate detection --help
ask 'a number of tracks is in JSON' '"jaccard": 1\.0' \
  "$fovea" evaluate tracks --dataset mot:set --results mot:v.txt --json
"$fovea" evaluate tracks --dataset mot:set --results mot:v.txt --out report --quiet
ask 'a number of tracks is in CSV' '^[^,]*jaccard|,jaccard,' cat report/numbers.csv
ask 'a section is in Markdown' 'Frames by video' cat report/report.md
ask 'a section is on the page' 'Frames by video' cat report/report.html
ask 'a command runs' '^Hello, Ann!$' "$fovea" hello --name Ann
ask 'a command is completed' 'hello' "$fovea" completion bash

echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" = 0 ]
