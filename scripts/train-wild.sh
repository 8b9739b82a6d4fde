#!/usr/bin/env bash
# Trains a face network that ships, configs/models/wild.json or wild-large.json, from the photographs under FOVEA_DATA:
# writes their boxes as COCO files, trains by configs/train-NAME.json, and judges the network on the photographs that
# are kept out.
#   FOVEA_DATA=... scripts/train-wild.sh [MODEL [REPORT_FOLDER [DEVICE]]]
# DEVICE: where it is trained (auto). Either takes about 8 minutes and 20 seconds on one H200, and wild more than 6 hours
# on two CPU cores.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

: "${FOVEA_DATA:?set FOVEA_DATA to the folder that holds wild, train/helen and train/backgrounds}"
model=${1:-$root/configs/models/wild.json}
report=${2:-$root/out/training-wild}
config=$root/configs/train-$(basename "$model" .json).json
if [ ! -e "$config" ]; then
  say "there is no $config: the model's file is named as a configuration, wild.json or wild-large.json"
  exit 2
fi
find_program
mkdir -p "$(dirname "$model")" "$report"
export FOVEA_OUT="$report"
"$root/scripts/wild/annotations.py" "$report/wild"
"$fovea" train net --config "$config" --out "$model" --report "$report" --device "${3:-auto}" \
  --checkpoint "$report/$(basename "$model" .json).part.json" --resume --overwrite
