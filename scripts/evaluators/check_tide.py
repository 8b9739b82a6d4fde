#!/usr/bin/env python3
"""Compares Fovea's split of errors with tidecv's on random sets without equal scores.

    check_tide.py FOVEA [--sets N] [--seed S]

Needs numpy, pycocotools and tidecv 1.0.1. Counts have to be equal, AP and what each kind of error costs to 1e-9.
"""
import argparse
import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile

import numpy as np
import tidecv

from coco_files import make_golden, write_coco

# tidecv's kinds and Fovea's.
KINDS = {"Loc": "localisation", "Dupe": "duplicate", "Bkg": "background", "Miss": "missed"}


def of_tide(images):
    truth, found = tidecv.Data("truth"), tidecv.Data("found")
    for image in images:
        truth.add_image(image["id"], str(image["id"]))
        for f in image["faces"]:
            truth.add_ground_truth(image["id"], 1, f[:4])
        for d in image["detections"]:
            found.add_detection(image["id"], 1, d[4], d[:4])
    tide = tidecv.TIDE()
    with contextlib.redirect_stdout(io.StringIO()):
        run = tide.evaluate(truth, found, mode=tidecv.TIDE.BOX)
    errors = tide.get_main_errors()["found"]
    numbers = {"ap": run.ap / 100}
    for kind, name in KINDS.items():
        numbers[name] = errors[kind] / 100
    return numbers


def of_fovea(fovea, folder, images):
    truth = make_golden.ground_truth(images)
    for image in truth["images"]:
        image["file_name"] = "%d.jpg" % image["id"]
    paths = write_coco(folder, truth, make_golden.results(images))
    out = os.path.join(folder, "report")
    subprocess.run([fovea, "evaluate", "detection", "--dataset", "coco:" + paths[0],
                    "--protocol", "voc2010", "--results", "coco:" + paths[1], "--out", out,
                    "--resamples", "0", "--quiet", "--overwrite"], check=True)
    with open(os.path.join(out, "report.json"), encoding="utf-8") as file:
        errors = json.load(file)["detection"]["errors"]
    numbers = {"ap": errors["average_precision"]}
    for kind in errors["kinds"]:
        numbers[kind["error"]] = kind["delta_ap"]
    return numbers


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("fovea")
    parser.add_argument("--sets", type=int, default=40)
    parser.add_argument("--seed", type=int, default=19)
    arguments = parser.parse_args()
    compared = wrong = 0
    largest = 0.0
    for i in range(arguments.sets):
        rng = np.random.default_rng([arguments.seed, i])
        images = make_golden.make_set(rng, ("random", 12, 3, 6, 80, {}))["images"]
        # Greedy by score, one face a detection: no tie, and faces far apart, so that all ways of pairing agree.
        scores = rng.permutation(100000)
        place = 0
        for image in images:
            image["faces"] = [[150.0 * k, 0.0, 40.0 + k, 50.0, (40.0 + k) * 50, 0, 0, 1000 * image["id"] + k]
                              for k in range(len(image["faces"]))]
            for d in image["detections"]:
                d[4] = float(scores[place]) / 100000
                place += 1
                if image["faces"]:
                    f = image["faces"][int(rng.integers(len(image["faces"])))]
                    shift = [0.0, 4.0, 15.0, 30.0, 70.0][int(rng.integers(5))]
                    d[:4] = [f[0] + shift, f[1], f[2], f[3]]
        if not any(image["faces"] for image in images) or not any(image["detections"] for image in images):
            continue
        expected = of_tide(images)
        with tempfile.TemporaryDirectory() as folder:
            numbers = of_fovea(arguments.fovea, folder, images)
        compared += 1
        off = max(abs(numbers[key] - expected[key]) for key in expected)
        largest = max(largest, off)
        if off > 1e-9:
            wrong += 1
            print("set %d differs: %s, expected %s" % (i, numbers, expected))
    print("TIDE: %d sets, %d with a difference, largest %.3g" % (compared, wrong, largest))
    return 1 if wrong or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
