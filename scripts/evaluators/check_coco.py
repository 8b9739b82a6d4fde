#!/usr/bin/env python3
"""Compares Fovea's COCO numbers with pycocotools' on random sets: several categories, annotation ids from 0, crowds, ties.

    check_coco.py FOVEA [--sets N] [--seed S]

Needs numpy and pycocotools. Every number of every category, and every mean, has to be equal in every bit. Ends with 1 if one
is not.
"""
import argparse
import contextlib
import io
import sys
import tempfile

import numpy as np
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

from coco_files import fovea_numbers, make_golden, write_coco

KEYS = ["ap", "ap_50", "ap_75", "ap_small", "ap_medium", "ap_large",
        "ar_1", "ar_10", "ar_100", "ar_small", "ar_medium", "ar_large"]
UNLISTED = 99


def several_categories(rng, images, count):
    """Truth and results in COCO's form, each face and detection of a random category."""
    ids = sorted(int(i) for i in rng.permutation(np.arange(1, 30))[:count])
    next_id = int(rng.integers(2))
    annotations, found = [], []
    for image in images:
        for f in image["faces"]:
            annotations.append({"id": next_id, "image_id": image["id"], "category_id": ids[int(rng.integers(count))],
                                "bbox": f[:4], "area": f[4], "iscrowd": f[5], "ignore": f[6]})
            next_id += 1
        for d in image["detections"]:
            category = UNLISTED if rng.random() < 0.03 else ids[int(rng.integers(count))]
            found.append({"image_id": image["id"], "category_id": category, "bbox": d[:4], "score": d[4]})
    # The category of the nearest face, for most: else hardly anything would be found.
    for d in found:
        same = [a for a in annotations if a["image_id"] == d["image_id"]]
        if same and rng.random() < 0.8:
            d["category_id"] = min(same, key=lambda a: sum(abs(p - q) for p, q in zip(a["bbox"], d["bbox"])))["category_id"]
    truth = {"images": [{"id": i["id"], "file_name": "%d.jpg" % i["id"]} for i in images],
             "categories": [{"id": i, "name": "category %d" % i} for i in ids], "annotations": annotations}
    return truth, found


def of_pycocotools(truth, found):
    """The means, and the numbers by category id."""
    with contextlib.redirect_stdout(io.StringIO()):
        ground = COCO()
        ground.dataset = truth
        ground.createIndex()
        detected = ground.loadRes(found)
        every = {}
        for category in [None] + [c["id"] for c in truth["categories"]]:
            evaluation = COCOeval(ground, detected, "bbox")
            if category is not None:
                evaluation.params.catIds = [category]
            evaluation.evaluate()
            evaluation.accumulate()
            evaluation.summarize()
            every[category] = [None if n == -1 else float(n) for n in evaluation.stats]
    return every.pop(None), every


def of_fovea(fovea, folder, truth, found):
    paths = write_coco(folder, truth, found)
    coco = fovea_numbers(fovea, "coco:" + paths[0], "coco:" + paths[1], "--category", "all")["coco"]
    return ([coco.get(key) for key in KEYS],
            {c["id"]: [c.get(key) for key in KEYS] for c in coco["categories"]})


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("fovea")
    parser.add_argument("--sets", type=int, default=100)
    parser.add_argument("--seed", type=int, default=19)
    arguments = parser.parse_args()
    compared = wrong = 0
    for i in range(arguments.sets):
        rng = np.random.default_rng([arguments.seed, i])
        kind = make_golden.KINDS[i % len(make_golden.KINDS)]
        images = make_golden.make_set(rng, kind)["images"]
        truth, found = several_categories(rng, images, 1 + int(rng.integers(6)))
        if not found:  # loadRes() needs at least one
            continue
        expected, expected_by_category = of_pycocotools(truth, found)
        with tempfile.TemporaryDirectory() as folder:
            mean, by_category = of_fovea(arguments.fovea, folder, truth, found)
        compared += 1
        if mean != expected or by_category != expected_by_category:
            wrong += 1
            print("set %d (%s) differs: mean %s, expected %s" % (i, kind[0], mean, expected))
    print("COCO, several categories: %d sets, %d with a difference" % (compared, wrong))
    return 1 if wrong or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
