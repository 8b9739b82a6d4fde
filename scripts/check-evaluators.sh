#!/usr/bin/env bash
# Compares Fovea's evaluators with the programs that they reproduce, on random sets and, where FOVEA_DATA is set, on the
# official files: pycocotools and tidecv (from PyPI, in a virtual environment in the build folder), the rules of the toolbox
# face-eval and, where Octave is installed, those of WIDER FACE's MATLAB program. Ends with 1 if a number differs.
#   --sets N   random sets for each comparison (100)
set -euo pipefail
. "$(dirname "$0")/lib.sh"

sets=100
case "${1:-}" in
  '') ;;
  --sets) sets=${2:?--sets needs a number} ;;
  *)
    say "unknown argument '$1'; there is --sets N"
    exit 2
    ;;
esac

fovea=$build_dir/fovea
[ -x "$fovea" ] || "$root/scripts/build.sh"
evaluator_environment
python=$environment/bin/python
failed=0

"$python" "$root/scripts/evaluators/check_coco.py" "$fovea" --sets "$sets" || failed=1
"$python" "$root/scripts/evaluators/check_oks.py" "$fovea" --sets "$sets" || failed=1
"$python" "$root/scripts/evaluators/check_tide.py" "$fovea" --sets "$sets" || failed=1
"$python" "$root/scripts/evaluators/check_face_eval.py" "$fovea" --sets "$sets" || failed=1

if [ -z "${FOVEA_DATA:-}" ]; then
  say "WIDER FACE: not run: FOVEA_DATA is not set"
elif ! command -v octave-cli >/dev/null; then
  say "WIDER FACE: not run: there is no octave-cli (Debian's package octave)"
else
  lists=$FOVEA_DATA/lists/wider-face
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  tar -C "$work" -xf "$lists/predictions-yolov5.tar.xz"
  octave-cli -qf "$root/scripts/evaluators/wider_official.m" "$lists" "$work/yolov5" >"$work/official"
  "$fovea" evaluate detection --dataset "wider:$lists" --results "wider:$work/yolov5" --resamples 0 --json >"$work/json"
  "$python" - "$work/official" "$work/json" <<'PYTHON' || failed=1
import json, sys
expected = {line.split()[0]: float(line.split()[1]) for line in open(sys.argv[1]) if "_ap " in line}
found = json.load(open(sys.argv[2]))["detection"]["wider"]
off = max(abs(found[key] - value) for key, value in expected.items())
print("WIDER FACE, strict: largest difference %.3g" % off)
sys.exit(0 if len(expected) == 3 and off < 1e-12 else 1)
PYTHON
fi
exit $failed
