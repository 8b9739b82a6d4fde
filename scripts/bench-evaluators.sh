#!/usr/bin/env bash
# Times COCO's twelve numbers, reading included, by Fovea, pycocotools, faster-coco-eval, hotcoco and vernier in one run, checks
# that all of them are equal, and prints the table. The programs come from PyPI into a virtual environment in the build folder.
#   scripts/bench-evaluators.sh [--images N] [--runs N]     (30000 images, 5 runs)
set -euo pipefail
. "$(dirname "$0")/lib.sh"

fovea=$build_dir/fovea
[ -x "$fovea" ] || "$root/scripts/build.sh"
evaluator_environment
"$environment/bin/pip" install -q --disable-pip-version-check hotcoco==1.3.0 faster-coco-eval==1.8.0 vernier==0.5.4
"$environment/bin/python" "$root/scripts/evaluators/bench_coco.py" "$fovea" "$@"
