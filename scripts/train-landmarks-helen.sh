#!/usr/bin/env bash
# Trains the landmark model that ships, configs/models/landmarks/helen.fvlm, from the training faces of HELEN under
# FOVEA_DATA. HELEN's test faces are not read.
#   FOVEA_DATA=... scripts/train-landmarks-helen.sh [MODEL [REPORT_FOLDER]]
set -euo pipefail
. "$(dirname "$0")/lib.sh"

: "${FOVEA_DATA:?set FOVEA_DATA to the folder that holds train/helen}"
model=${1:-$root/configs/models/landmarks/helen.fvlm}
report=${2:-$root/out/landmark-training}
find_program
mkdir -p "$(dirname "$model")" "$report"
"$fovea" train landmarks --config "$root/configs/train-landmarks-helen.json" --out "$model" --report "$report" \
  --checkpoint "$report/helen.part.fvlm" --resume --overwrite
