#!/usr/bin/env python3
"""Makes random sets of keypoints with the ten numbers that pycocotools gives for them.

    make_oks.py [--sets N] [--seed S] [--out FILE]

Needs numpy and pycocotools (the committed oks.json: pycocotools 2.0.11). Equal arguments give equal bytes.

FILE: [{"truth": COCO data set, "found": COCO results, "sigmas": [...] or [] for COCO's, "numbers": [10, null for -1]}].
"""
import argparse
import contextlib
import io
import json
import os

import numpy as np
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval


def points_near(rng, points, spread):
    return [[float(np.round((x + rng.normal(0, spread)) * 8) / 8), float(np.round((y + rng.normal(0, spread)) * 8) / 8)]
            for x, y in points]


def flat(points, visibility):
    return [value for (x, y), v in zip(points, visibility) for value in (x, y, v)]


def make_set(rng, images, keypoints, with_boxes):
    """with_boxes: results have a bbox, too, whose area then counts in place of that of the points."""
    truth = {"info": {}, "images": [], "annotations": [],
             "categories": [{"id": 1, "name": "face", "keypoints": ["p%d" % i for i in range(keypoints)],
                             "skeleton": []}]}
    found = []
    for image in range(1, images + 1):
        truth["images"].append({"id": image, "file_name": "%d.jpg" % image})
        faces = []
        for _ in range(int(rng.integers(0, 5))):
            size = float(np.round(60 * np.exp(rng.normal(0, 0.7))))
            left, top = float(rng.integers(0, 500)), float(rng.integers(0, 400))
            points = [[left + float(np.round(size * u * 4) / 4), top + float(np.round(size * v * 4) / 4)]
                      for u, v in rng.random((keypoints, 2))]
            kind = rng.random()
            visibility = [2] * keypoints
            if kind < 0.3:
                visibility = [int(v) for v in rng.integers(0, 3, keypoints)]
            elif kind < 0.4:
                visibility = [0] * keypoints
            faces.append((points, size, left, top))
            truth["annotations"].append(
                {"id": len(truth["annotations"]) + 1, "image_id": image, "category_id": 1,
                 "bbox": [left, top, size, size], "area": size * size * 0.75, "iscrowd": int(rng.random() < 0.1),
                 "keypoints": flat([p if v else [0.0, 0.0] for p, v in zip(points, visibility)], visibility),
                 "num_keypoints": sum(v > 0 for v in visibility)})
        for _ in range(int(rng.integers(0, 9)) if rng.random() > 0.1 else 25):
            if faces and rng.random() < 0.75:
                points, size, left, top = faces[int(rng.integers(len(faces)))]
                points = points_near(rng, points, size * [0.01, 0.03, 0.08][int(rng.integers(3))])
            else:
                points = [[float(rng.integers(0, 500)), float(rng.integers(0, 400))] for _ in range(keypoints)]
            result = {"image_id": image, "category_id": 1, "keypoints": flat(points, [1] * keypoints),
                      "score": float(rng.integers(1, 40)) / 40}
            if with_boxes:
                xs, ys = [p[0] for p in points], [p[1] for p in points]
                result["bbox"] = [min(xs) - 2, min(ys) - 2, max(xs) - min(xs) + 4, max(ys) - min(ys) + 4]
            found.append(result)
    return truth, found


def numbers(truth, found, sigmas):
    with contextlib.redirect_stdout(io.StringIO()):
        ground = COCO()
        ground.dataset = json.loads(json.dumps(truth))
        ground.createIndex()
        evaluation = COCOeval(ground, ground.loadRes(json.loads(json.dumps(found))), "keypoints")
        if sigmas:
            evaluation.params.kpt_oks_sigmas = np.array(sigmas)
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
    return [None if n == -1 else float(n) for n in evaluation.stats]


def make_case(rng, images):
    keypoints = [17, 5, 68][int(rng.integers(3))] if images > 8 else [17, 5][int(rng.integers(2))]
    sigmas = [] if keypoints == 17 else [float(s) for s in np.round(rng.uniform(0.02, 0.1, keypoints), 3)]
    truth, found = make_set(rng, images, keypoints, bool(rng.integers(2)))
    return truth, found, sigmas


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sets", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "oks.json"))
    arguments = parser.parse_args()
    sets = []
    for i in range(arguments.sets):
        truth, found, sigmas = make_case(np.random.default_rng([arguments.seed, i]), 6)
        sets.append({"truth": truth, "found": found, "sigmas": sigmas, "numbers": numbers(truth, found, sigmas)})
    with open(arguments.out, "w", encoding="utf-8") as file:
        json.dump(sets, file, separators=(",", ":"))
        file.write("\n")


if __name__ == "__main__":
    main()
