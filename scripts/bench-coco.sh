#!/usr/bin/env bash
# Times COCO's twelve numbers of 100,000 images with 400,000 faces and 1,000,000 detections, here and by pycocotools
# (evaluate, accumulate), on the same machine and the same set; the numbers must be equal in every bit. Before that, the
# whole program on the set's files: without intervals, with 1,000 resamples, and with a report.
#   scripts/bench-coco.sh [RUNS]
# RUNS of pycocotools (default 5), of which the median counts. Needs fovea_tests_evaluation (scripts/test.sh builds it; in build/
# or FOVEA_BUILD_DIR) and a python3 with numpy and pycocotools.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

runs=${1:-5}
tests=$build_dir/fovea_tests_evaluation
for program in "$tests" "$build_dir/fovea"; do
  [ -x "$program" ] || { say "there is no $program: build it with scripts/test.sh"; exit 2; }
done
python3 -c 'import numpy, pycocotools' 2>/dev/null || { say 'python3 has no numpy or no pycocotools'; exit 2; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

FOVEA_BENCH_OUT=$folder "$tests" '[.coco-bench]'
evaluate=("$build_dir/fovea" evaluate detection --dataset "coco:$folder/instances.json" --results "coco:$folder/results.json" --quiet)
TIMEFORMAT='%R s, CPU %U s'
for flags in '--resamples 0' '' "--out $folder/report"; do
  printf 'fovea evaluate detection %s: ' "${flags%% "$folder"*}"
  # shellcheck disable=SC2086  # flags and their values
  time "${evaluate[@]}" $flags
done
python3 - "$folder" "$runs" <<'PYTHON'
import contextlib, io, json, statistics, sys, time
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

folder, runs = sys.argv[1], int(sys.argv[2])
keys = "ap ap_50 ap_75 ap_small ap_medium ap_large ar_1 ar_10 ar_100 ar_small ar_medium ar_large".split()
wall, cpu = [], []
with contextlib.redirect_stdout(io.StringIO()):
    truth = COCO(folder + "/instances.json")
    found = truth.loadRes(folder + "/results.json")
for run in range(runs):
    with contextlib.redirect_stdout(io.StringIO()):
        evaluation = COCOeval(truth, found, "bbox")
        start, cpu_start = time.perf_counter(), time.process_time()
        evaluation.evaluate()
        evaluation.accumulate()
        wall.append(time.perf_counter() - start)
        cpu.append(time.process_time() - cpu_start)
        evaluation.summarize()
fovea = json.load(open(folder + "/fovea.json"))
wall_s, cpu_s = statistics.median(wall), statistics.median(cpu)
print(f"pycocotools, median of {runs}: {wall_s:.2f} s, CPU {cpu_s:.2f} s")
print(f"ratio: {wall_s / fovea['wall_s']:.0f} (wall), {cpu_s / fovea['cpu_s']:.0f} (CPU)")
differ = [k for k, n in zip(keys, evaluation.stats) if fovea["numbers"][k] != n]
print("numbers: " + ("differ: " + ", ".join(differ) if differ else "equal in every bit"))
sys.exit(1 if differ else 0)
PYTHON
