#!/usr/bin/env bash
# Builds Fovea and runs the demonstration, scripts/fovea-demo.sh. Arguments go to `fovea run`, e.g. --out DIR.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
build fovea -DCMAKE_BUILD_TYPE=Release
cd "$root"
FOVEA_PROGRAM=$build_dir/fovea FOVEA_DEMO_CACHE=$root/.cache exec "$root/scripts/fovea-demo.sh" "$@"
