#!/usr/bin/env python3
"""Makes sets of faces and detections with the twelve numbers that pycocotools gives for them.

    make_golden.py [--sets N] [--seed S] [--out FILE]

Needs numpy and pycocotools (the committed golden.json: pycocotools 2.0.11, numpy 2.4.6). Equal arguments give equal
bytes. The default sets are in golden.json; others, for a longer comparison, are read by the test [.coco-fuzz] from
the file that FOVEA_COCO_SETS names.

FILE: {"sets": [{"name", "images": [{"id", "faces": [[x, y, w, h, area, iscrowd, ignore, id]],
"detections": [[x, y, w, h, score]]}], "numbers": [12, null for -1]}]}; images in the dataset's order, which is not
that of their ids.
"""
import argparse
import contextlib
import io
import json
import os

import numpy as np
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

# name, images, faces an image, detections an image, size of faces, what is special
KINDS = [
    ("plain", 12, 3, 5, 80, {}),
    ("crowd", 12, 3, 6, 80, {"crowd": 0.4}),
    ("ignored", 12, 3, 6, 80, {"ignore": 0.4}),
    ("empty images", 16, 1, 2, 60, {"empty": 0.5}),
    ("tied scores", 14, 3, 6, 80, {"levels": 4}),
    ("one score", 10, 2, 4, 80, {"levels": 1}),
    ("areas on the borders", 14, 3, 6, 0, {"borders": True}),
    ("areas of segments", 12, 3, 6, 60, {"segments": True}),
    ("out of every range", 6, 2, 3, 150000, {}),
    ("more than 100 detections", 3, 12, 130, 40, {"levels": 30}),
    ("no faces", 6, 0, 4, 80, {}),
    ("no detections", 6, 3, 0, 80, {}),
    ("only crowd", 8, 2, 5, 80, {"crowd": 1.0}),
    ("annotation id 0", 4, 2, 5, 80, {"first_id": 0}),
    ("degenerate boxes", 10, 3, 6, 60, {"degenerate": 0.3}),
    ("equal overlaps", 10, 4, 8, 60, {"grid": True, "crowd": 0.1}),
    ("one face", 1, 1, 1, 80, {}),
    ("a hundred faces", 25, 4, 5, 70, {"levels": 50, "crowd": 0.05}),
    ("everything", 30, 4, 8, 90,
     {"crowd": 0.1, "ignore": 0.1, "empty": 0.2, "levels": 20, "segments": True, "degenerate": 0.05}),
]


def box(rng, size, special):
    if special.get("borders"):
        w, h = [(32, 32), (16, 64), (96, 96), (48, 192), (31, 33), (32, 33), (95, 97), (97, 96)][rng.integers(8)]
        return [float(rng.integers(60)) * 16, float(rng.integers(40)) * 16, float(w), float(h)]
    if special.get("grid"):
        return [float(rng.integers(6)) * 10, float(rng.integers(3)) * 10, 20.0, 20.0]
    w, h = np.round(size * np.exp(rng.normal(0, 0.9, 2)) * 4) / 4
    x, y = np.round(rng.uniform(-10, 600, 2) * 4) / 4
    result = [float(x), float(y), float(w), float(h)]
    if rng.random() < special.get("degenerate", 0):
        result[int(rng.integers(2, 4))] = float(rng.integers(0, 2))
    return result


def near(rng, face, special):
    if special.get("grid"):
        return [face[0] + 5.0 * float(rng.integers(-1, 2)), face[1], face[2], face[3]]
    scale = [0.02, 0.1, 0.25][rng.integers(3)]
    shift = rng.normal(0, scale, 4) * [face[2], face[3], face[2], face[3]]
    x, y, w, h = np.round((np.array(face) + shift) * 4) / 4
    return [float(x), float(y), float(max(w, 0)), float(max(h, 0))]


def score(rng, special):
    levels = special.get("levels")
    return float(rng.integers(levels)) / levels if levels else float(np.round(rng.random(), 6))


def make_set(rng, kind):
    name, images, faces, detections, size, special = kind
    ids = [int(i) for i in rng.permutation(np.arange(1, 3 * images + 1))[:images]]
    next_id = special.get("first_id", 1)
    result = []
    for image_id in ids:
        image_faces, image_detections = [], []
        empty = rng.random() < special.get("empty", 0)
        for _ in range(0 if empty else int(rng.integers(0, 2 * faces + 1))):
            b = box(rng, size, special)
            area = b[2] * b[3]
            if special.get("segments"):
                area = float(np.round(area * rng.uniform(0.4, 1.0) * 16) / 16)
            crowd = int(rng.random() < special.get("crowd", 0))
            ignore = int(rng.random() < special.get("ignore", 0))
            image_faces.append(b + [area, crowd, ignore, next_id])
            next_id += 1
        few = rng.random() < special.get("empty", 0)
        for _ in range(0 if few else int(rng.integers(detections, detections * 3 // 2 + 1))):
            if image_faces and rng.random() < 0.75:
                b = near(rng, image_faces[int(rng.integers(len(image_faces)))][:4], special)
            else:
                b = box(rng, size, special)
            image_detections.append(b + [score(rng, special)])
        result.append({"id": image_id, "faces": image_faces, "detections": image_detections})
    if name == "one face":
        result[0]["faces"] = [[10.0, 10.0, 20.0, 20.0, 400.0, 0, 0, 1]]
        result[0]["detections"] = [[10.0, 10.0, 20.0, 20.0, 0.5]]
    return {"name": name, "images": result}


def ground_truth(images):
    truth = {"info": {}, "images": [{"id": i["id"]} for i in images], "categories": [{"id": 1, "name": "face"}]}
    truth["annotations"] = [
        {"id": f[7], "image_id": i["id"], "category_id": 1, "bbox": f[:4], "area": f[4], "iscrowd": f[5],
         "ignore": f[6]} for i in images for f in i["faces"]]
    return truth


def results(images):
    return [{"image_id": i["id"], "category_id": 1, "bbox": d[:4], "score": d[4]}
            for i in images for d in i["detections"]]


def numbers(images):
    with contextlib.redirect_stdout(io.StringIO()):
        truth = COCO()
        truth.dataset = ground_truth(images)
        truth.createIndex()
        found = results(images)
        if found:
            detected = truth.loadRes(found)
        else:  # loadRes() needs at least one
            detected = COCO()
            detected.dataset = {"images": truth.dataset["images"], "categories": truth.dataset["categories"],
                                "annotations": []}
            detected.createIndex()
        evaluation = COCOeval(truth, detected, "bbox")
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
    return [None if n == -1 else float(n) for n in evaluation.stats]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sets", type=int, default=len(KINDS))
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--out", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "golden.json"))
    arguments = parser.parse_args()
    lines = []
    for i in range(arguments.sets):
        made = make_set(np.random.default_rng([arguments.seed, i]), KINDS[i % len(KINDS)])
        made["numbers"] = numbers(made["images"])
        lines.append(json.dumps(made, separators=(",", ":")))
    with open(arguments.out, "w", encoding="utf-8") as file:
        file.write('{"sets":[\n' + ",\n".join(lines) + "\n]}\n")


if __name__ == "__main__":
    main()
