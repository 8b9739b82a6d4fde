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
grey() { head -c "$1" /dev/zero | tr '\0' "\\$2"; }
# An image whose left half has a grey value, in octal.
left() { printf 'P5\n100 80\n255\n' && for _ in {1..80}; do grey 50 "$1" && grey 50 0; done; }
top() { printf 'P5\n100 80\n255\n' && grey 4000 377 && grey 4000 0; }

mkdir -p photos people/{Ann,Bob} set/v/img1 set/v/gt
left 377 >people/Ann/1.pgm
top >people/Bob/1.pgm
left 100 >dark.pgm
echo '{"format": "fovea-recogniser", "version": 1, "name": "grid", "face": {"width": 40, "height": 32,
  "left_eye": [12, 12], "right_eye": [28, 12]}, "normalisation": {"mask": false, "equalise": false},
  "grid": {"columns": 4, "rows": 4}}' >grid.json
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
"$fovea" enroll folder:people --gallery people.fvg --recogniser grid.json --faces image --device cpu --quiet
"$fovea" identify dark.pgm --gallery people.fvg --faces image --device cpu --out named.jsonl --quiet
ask 'a recogniser names a face' '"identity":"Ann"' cat named.jsonl
ask 'a recogniser tells its distance' '"identity":"Bob","image":"Bob/1.pgm","distance":1[}]' cat named.jsonl
ask 'a recogniser describes itself' '^recogniser +grid: grid of 4x4 mean grey values, cosine$' \
  "$fovea" gallery info people.fvg
ask 'weights of regions are not for it' 'the recogniser grid is one by grids of mean grey values' bash -c \
  '! "$0" train lbp-weights --dataset folder:people --recogniser grid.json --faces image --device cpu --out w.json' "$fovea"
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
