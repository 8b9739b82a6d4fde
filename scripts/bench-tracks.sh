#!/usr/bin/env bash
# Measures the CPU time (other work may run beside) of HOTA, CLEAR and identity of the ten sequences of LTFT (81,285
# boxes) with made-up results, here and by TrackEval 1.3.0, on the same machine and the same files; the numbers must be
# equal in every bit.
#   scripts/bench-tracks.sh [RUNS]
# RUNS (default 5), of which the median counts. Needs FOVEA_DATA, fovea_tests_evaluation (scripts/test.sh builds it; in build/ or
# FOVEA_BUILD_DIR) and a python3 with trackeval 1.3.0 (PYTHON names another one).
set -euo pipefail
. "$(dirname "$0")/lib.sh"

runs=${1:-5}
python=${PYTHON:-python3}
tests=$build_dir/fovea_tests_evaluation
for program in "$tests" "$build_dir/fovea"; do
  [ -x "$program" ] || { say "there is no $program: build it with scripts/test.sh"; exit 2; }
done
"$python" -c 'import trackeval' 2>/dev/null || { say "$python has no trackeval"; exit 2; }
[ -n "${FOVEA_DATA:-}" ] || { say 'FOVEA_DATA is not set'; exit 2; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

FOVEA_BENCH_OUT=$folder "$tests" '[.track-bench]'
"$python" - "$folder" "$runs" "$build_dir/fovea" <<'PYTHON'
import contextlib, io, json, os, resource, statistics, subprocess, sys, time
import trackeval

def children_s():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime

folder, runs, program = sys.argv[1], int(sys.argv[2]), sys.argv[3]
command = [program, "evaluate", "tracks", "--dataset", f"mot:{folder}/truth", "--results", f"mot:{folder}/trackers/t"]
ours, whole, theirs, metrics = [], [], [], []
for run in range(runs):
    for flags, times in ((["--resamples", "0"], ours), ([], whole)):
        start = children_s()
        out = subprocess.run(command + flags + ["--json"], check=True, stdout=subprocess.PIPE).stdout
        times.append(children_s() - start)
    with contextlib.redirect_stdout(io.StringIO()):
        dataset = trackeval.datasets.MotChallenge2DBox(dict(
            GT_FOLDER=folder + "/truth", TRACKERS_FOLDER=folder + "/trackers", TRACKERS_TO_EVAL=["t"], SKIP_SPLIT_FOL=True,
            SEQ_INFO={name: None for name in os.listdir(folder + "/truth")}, BENCHMARK="MOT17", PRINT_CONFIG=False))
        evaluator = trackeval.Evaluator(dict(
            PRINT_RESULTS=False, PRINT_CONFIG=False, TIME_PROGRESS=False, OUTPUT_SUMMARY=False, OUTPUT_DETAILED=False,
            PLOT_CURVES=False, LOG_ON_ERROR=None))
        quiet = dict(PRINT_CONFIG=False)
        judges = [trackeval.metrics.HOTA(), trackeval.metrics.CLEAR(quiet), trackeval.metrics.Identity(quiet)]
        start = time.process_time()
        result = evaluator.evaluate([dataset], judges)[0]["MotChallenge2DBox"]["t"]
        theirs.append(time.process_time() - start)
        # The metrics alone, without reading and preparing.
        spent = 0
        for name in dataset.seq_list:
            data = dataset.get_preprocessed_seq_data(dataset.get_raw_seq_data("t", name), "pedestrian")
            start = time.process_time()
            for judge in judges:
                judge.eval_sequence(data)
            spent += time.process_time() - start
        metrics.append(spent)
ours_s, theirs_s = statistics.median(ours), statistics.median(theirs)
memory_s, metrics_s = float(open(folder + "/seconds.txt").read()), statistics.median(metrics)
print(f"CPU time from files, whole program without intervals: {ours_s:.3f} s, with 1,000 resamples {statistics.median(whole):.3f} s")
print(f"TrackEval from files, without starting Python: {theirs_s:.2f} s; its metrics alone {metrics_s:.2f} s")
print(f"ratio: {theirs_s / ours_s:.0f} from files, {metrics_s / memory_s:.0f} in memory (overlaps included here)")
fovea = json.loads(out)["tracks"]
differ = []
for video in [fovea] + fovea["videos"]:
    name = "COMBINED_SEQ" if video is fovea else video["name"]
    reference = result[name]["pedestrian"]
    pairs = [(video[key], reference[part][field]) for key, part, field in (
        ("mota", "CLEAR", "MOTA"), ("motp", "CLEAR", "MOTP"), ("switches", "CLEAR", "IDSW"), ("fragments", "CLEAR", "Frag"),
        ("mostly_tracked", "CLEAR", "MT"), ("idf1", "Identity", "IDF1"), ("idtp", "Identity", "IDTP"))]
    for key, field in (("hota", "HOTA"), ("det_a", "DetA"), ("ass_a", "AssA"), ("ass_re", "AssRe"), ("ass_pr", "AssPr"),
                       ("loc_a", "LocA"), ("owta", "OWTA")):
        pairs += [(level[key], reference["HOTA"][field][i]) for i, level in enumerate(video["by_threshold"])]
    differ += [name for mine, other in pairs if mine != float(other)]
print("numbers: " + (f"{len(differ)} differ" if differ else "equal in every bit"))
sys.exit(1 if differ else 0)
PYTHON
