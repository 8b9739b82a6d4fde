#!/usr/bin/env python3
"""Times COCO's twelve numbers from the files, by Fovea and by other programs, and checks that all numbers are equal.

    bench_coco.py FOVEA [--images N] [--runs N]

Every run is a process of its own; programs take turns, after a run of each that does not count. Prints a Markdown table: the
median and spread of the whole process, and for Python programs the part from reading the files to the numbers, without
start-up and imports. Ends with 1 if numbers differ.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

from coco_files import write_coco

KEYS = ["ap", "ap_50", "ap_75", "ap_small", "ap_medium", "ap_large",
        "ar_1", "ar_10", "ar_100", "ar_small", "ar_medium", "ar_large"]

COCO_LIKE = """
import contextlib, io, json, sys, time
with contextlib.redirect_stdout(io.StringIO()):
    {imports}
    start = time.perf_counter()
    truth = COCO(sys.argv[1])
    evaluation = COCOeval(truth, truth.{load}(sys.argv[2]), "bbox")
    evaluation.evaluate()
    evaluation.accumulate()
    evaluation.summarize()
    seconds = time.perf_counter() - start
print(json.dumps({{"seconds": seconds, "numbers": [float(n) for n in list(evaluation.stats)[:12]]}}))
"""
VERNIER = """
import json, sys, time
from pathlib import Path
from vernier.instance import Bbox, CocoDataset, Evaluator
start = time.perf_counter()
truth = CocoDataset.from_json(Path(sys.argv[1]).read_bytes())
summary = Evaluator(iou=Bbox(), parity_mode="strict").evaluate(truth, Path(sys.argv[2]).read_bytes(), num_threads=int(sys.argv[3]))
seconds = time.perf_counter() - start
print(json.dumps({"seconds": seconds, "numbers": [float(n) for n in summary.stats]}))
"""
PROGRAMS = {
    "pycocotools": COCO_LIKE.format(
        imports="from pycocotools.coco import COCO\n    from pycocotools.cocoeval import COCOeval", load="loadRes"),
    "faster-coco-eval": COCO_LIKE.format(
        imports="from faster_coco_eval import COCO, COCOeval_faster as COCOeval", load="loadRes"),
    "hotcoco": COCO_LIKE.format(imports="from hotcoco import COCO, COCOeval", load="load_res"),
    "vernier": VERNIER,
}


def write_set(folder, images):
    """Faces and detections of random sizes, of which two in five lie near a face."""
    rng = np.random.default_rng(3)
    truth = {"images": [], "annotations": [], "categories": [{"id": 1, "name": "face"}]}
    found = []
    for image in range(1, images + 1):
        truth["images"].append({"id": image, "file_name": "%06d.jpg" % image, "width": 1024, "height": 768})
        faces = []
        for _ in range(int(rng.integers(0, 9))):
            width = float(np.round(8 + 40 * np.exp(rng.normal() * 0.8), 2))
            box = [float(np.round(rng.uniform(0, 900), 2)), float(np.round(rng.uniform(0, 600), 2)), width,
                   float(np.round(width * 1.2, 2))]
            faces.append(box)
            truth["annotations"].append({"id": len(truth["annotations"]) + 1, "image_id": image, "category_id": 1,
                                         "bbox": box, "area": box[2] * box[3], "iscrowd": 0})
        for _ in range(int(rng.integers(10, 23))):
            if faces and rng.random() < 0.4:
                face = faces[int(rng.integers(len(faces)))]
                box = [float(np.round(v + rng.normal() * 0.08 * face[2], 2)) for v in face]
                box[2], box[3] = max(box[2], 1.0), max(box[3], 1.0)
            else:
                box = [float(np.round(rng.uniform(low, high), 2)) for low, high in ((0, 900), (0, 600), (8, 100), (8, 100))]
            found.append({"image_id": image, "category_id": 1, "bbox": box, "score": float(np.round(rng.random(), 5))})
    return write_coco(folder, truth, found), len(truth["annotations"]), len(found)


def run(name, fovea, paths):
    start = time.perf_counter()
    if name == "Fovea":
        command = [fovea, "evaluate", "detection", "--dataset", "coco:" + paths[0], "--results", "coco:" + paths[1],
                   "--only", "coco", "--resamples", "0", "--json"]
    else:
        command = [sys.executable, "-c", PROGRAMS[name], paths[0], paths[1], str(os.cpu_count())]
    printed = subprocess.run(command, check=True, capture_output=True).stdout
    wall = time.perf_counter() - start
    outcome = json.loads(printed.splitlines()[-1] if name != "Fovea" else printed)
    if name == "Fovea":
        coco = outcome["detection"]["coco"]
        return wall, None, [coco.get(key, -1.0) for key in KEYS]
    return wall, outcome["seconds"], outcome["numbers"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("fovea")
    parser.add_argument("--images", type=int, default=30000)
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    names = ["Fovea"] + [name for name in PROGRAMS]
    with tempfile.TemporaryDirectory() as folder:
        paths, faces, detections = write_set(folder, arguments.images)
        print("%d images, %d faces, %d detections, %d cores, %d runs each\n" %
              (arguments.images, faces, detections, os.cpu_count(), arguments.runs))
        measured = {name: [] for name in names}
        # One run of the slowest tells enough of it.
        for turn in range(arguments.runs + 1):
            for name in names:
                if name == "pycocotools" and turn > 1:
                    continue
                measured[name].append(run(name, arguments.fovea, paths))
    expected = measured["pycocotools"][0][2]
    print("| program | whole process, median | least - most | reading to numbers | largest difference |")
    print("|---|--:|--:|--:|--:|")
    wrong = False
    for name in names:
        counted = measured[name][1:]
        walls = [entry[0] for entry in counted]
        inner = [entry[1] for entry in counted if entry[1] is not None]
        off = max(abs(a - b) for entry in measured[name] for a, b in zip(entry[2], expected))
        wrong = wrong or off != 0
        print("| %s | %.2f s | %.2f - %.2f s | %s | %.3g |" %
              (name, statistics.median(walls), min(walls), max(walls),
               "%.2f s" % statistics.median(inner) if inner else "", off))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
