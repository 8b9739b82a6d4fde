#!/usr/bin/env bash
# Trains the face network that ships, configs/models/wild.json, from the photographs under FOVEA_DATA: writes their
# boxes as COCO files, trains, and judges the network on the photographs that are kept out.
#   FOVEA_DATA=... scripts/train-wild.sh [MODEL [REPORT_FOLDER]]
set -euo pipefail
. "$(dirname "$0")/lib.sh"

: "${FOVEA_DATA:?set FOVEA_DATA to the folder that holds wild, train/helen and train/backgrounds}"
model=${1:-$root/configs/models/wild.json}
report=${2:-$root/out/training-wild}
find_program
mkdir -p "$(dirname "$model")" "$report"
export FOVEA_OUT="$report"
"$root/scripts/wild/annotations.py" "$report/wild"
"$fovea" train net --config "$root/configs/train-wild.json" --out "$model" --report "$report" \
  --checkpoint "$report/wild.part.json" --resume --overwrite
