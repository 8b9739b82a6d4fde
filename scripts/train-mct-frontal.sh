#!/usr/bin/env bash
# Trains the frontal face detector that ships, configs/models/mct.json, from the images under FOVEA_DATA, in two
# rounds: the first takes negatives from backgrounds alone; with its model, faces that nobody annotated are found in
# the portraits, so that the second can take negatives from these, too. MIT+CMU is not read.
#   FOVEA_DATA=... scripts/train-mct-frontal.sh [MODEL [REPORT_FOLDER]]
set -euo pipefail
. "$(dirname "$0")/lib.sh"

: "${FOVEA_DATA:?set FOVEA_DATA to the folder that holds train/faces, train/helen and train/backgrounds}"
model=${1:-$root/configs/models/mct.json}
report=${2:-$root/out/training}
find_program
mkdir -p "$(dirname "$model")" "$report"
export FOVEA_FIRST_MODEL="$report/mct-first.json"
"$fovea" train mct --config "$root/configs/train-mct-frontal-first.json" --out "$FOVEA_FIRST_MODEL" --overwrite
"$fovea" train mct --config "$root/configs/train-mct-frontal.json" --out "$model" --report "$report" \
  --checkpoint "$report/mct.part.json" --resume --overwrite
