#!/usr/bin/env python3
"""Compares Fovea's numbers of AFW and PASCAL faces with the rules of the toolbox face-eval, written down here a second time.

    check_face_eval.py FOVEA [--sets N] [--seed S]

Needs numpy and scipy, which writes the annotation as the toolbox's own files have it. Ends with 1 if a number is further off
than 1e-12.
"""
import argparse
import os
import sys
import tempfile

import numpy as np
from scipy.io import savemat

from coco_files import fovea_numbers

ROUNDS, LEAST_FACE, LEAST_DETECTION, LEAST_OVERLAP = 5, 30, 21, 0.5


def make_set(rng, images, with_ignore):
    """Corners of faces with a mark, and detections: (name, score, corners)."""
    faces, found = {}, []
    for image in range(images):
        name = "%07d" % rng.integers(10 ** 6)
        faces[name] = []
        for _ in range(int(rng.integers(0, 5))):
            size = rng.integers(20, 160)
            left, top = rng.integers(0, 600, 2)
            faces[name].append([left, top, left + size, top + int(size * 1.1), int(rng.random() < 0.2)])
        for _ in range(int(rng.integers(0, 9))):
            if faces[name] and rng.random() < 0.8:
                box = np.array(faces[name][int(rng.integers(len(faces[name])))][:4], float)
                size = box[2] - box[0]
                # A detector whose boxes are lower and larger than the annotation's.
                box += np.array([-0.1, 0.1, 0.1, 0.35]) * size + rng.normal(0, 0.08, 4) * size
                box = np.round(box)
            else:
                size = rng.integers(10, 200)
                left, top = rng.integers(0, 600, 2)
                box = np.array([left, top, left + size, top + size], float)
            if box[2] > box[0] and box[3] > box[1]:
                found.append((name, float(rng.integers(-20, 40)) / 20, box))
    if not with_ignore:
        faces = {name: [f[:4] + [0] for f in list_of] for name, list_of in faces.items()}
    return faces, found


def overlaps(box, faces):
    """With one pixel added to widths and heights."""
    sizes = np.abs(faces[:, 2:4] - faces[:, :2]) + 1
    own = (abs(box[2] - box[0]) + 1) * (abs(box[3] - box[1]) + 1)
    low, high = np.maximum(faces[:, :2], box[:2]), np.minimum(faces[:, 2:4], box[2:])
    shared = np.where(np.all(high > low, axis=1), np.prod(high - low + 1, axis=1), 0)
    return shared / (own + np.prod(sizes, axis=1) - shared)


def area(hits, misses, faces):
    hits, misses = np.cumsum(hits), np.cumsum(misses)
    recall = np.concatenate(([0], hits / faces, [1]))
    precision = np.concatenate(([0], hits / np.maximum(hits + misses, 1), [0]))
    envelope = np.maximum.accumulate(precision[::-1])[::-1]
    return float(np.sum(np.diff(recall) * envelope[1:]))


def of_rules(faces, found):
    small = lambda f: f[2] - f[0] < LEAST_FACE or f[3] - f[1] < LEAST_FACE
    truth = {name: np.array(list_of, float) for name, list_of in faces.items() if list_of}
    left_out = {name: [bool(f[4]) or small(f) for f in list_of] for name, list_of in faces.items()}
    total = sum(not out for list_of in left_out.values() for out in list_of)
    kept = [f for f in found if max(f[2][2] - f[2][0], f[2][3] - f[2][1]) > LEAST_DETECTION]
    kept.sort(key=lambda f: -f[1])
    boxes = np.array([f[2] for f in kept]).reshape(-1, 4)
    first = None
    for _ in range(ROUNDS):
        hits, misses, differences, taken = np.zeros(len(kept)), np.zeros(len(kept)), [], set()
        for i, (name, _score, _box) in enumerate(kept):
            values = overlaps(boxes[i], truth[name]) if name in truth else np.zeros(1)
            best = len(values) - 1 - int(np.argmax(values[::-1]))
            if values[best] <= LEAST_OVERLAP:
                misses[i] = 1
            elif not left_out[name][best]:
                if (name, best) in taken:
                    misses[i] = 1
                else:
                    taken.add((name, best))
                    hits[i] = 1
                    face, size = truth[name][best], boxes[i, 2:] - boxes[i, :2]
                    shift = ((face[2:4] + face[:2]) / 2 - (boxes[i, 2:] + boxes[i, :2]) / 2) / size
                    differences.append(np.concatenate((shift, (face[2:4] - face[:2]) / size)))
        last = area(hits, misses, total)
        first = last if first is None else first
        if differences:
            mean = np.mean(differences, axis=0)
            half = (boxes[:, 2:] - boxes[:, :2]) / 2
            centre = (boxes[:, 2:] + boxes[:, :2]) / 2 + mean[:2] * half * 2
            boxes = np.concatenate((centre - half * mean[2:], centre + half * mean[2:]), axis=1)
    return {"ap": last, "ap_unmoved": first}


def write(folder, faces, found):
    records = np.empty((len(faces), 1), dtype=[("imgname", object), ("objects", object)])
    for i, (name, list_of) in enumerate(faces.items()):
        rows = [f[:4] + [0, f[4]] for f in list_of]
        records[i, 0] = (name + ".jpg", np.array(rows, float).reshape(-1, 6))
    truth, results = os.path.join(folder, "annotations.mat"), os.path.join(folder, "found.txt")
    savemat(truth, {"Annotations": records}, do_compression=True)
    with open(results, "w", encoding="utf-8") as file:
        for name, score, box in found:
            file.write("%s.jpg %r %s\n" % (name, score, " ".join("%d" % v for v in box)))
    return truth, results


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("fovea")
    parser.add_argument("--sets", type=int, default=100)
    parser.add_argument("--seed", type=int, default=29)
    arguments = parser.parse_args()
    compared, largest = 0, 0.0
    for i in range(arguments.sets):
        rng = np.random.default_rng([arguments.seed, i])
        faces, found = make_set(rng, 30, i % 2 == 0)
        if not found:
            continue
        expected = of_rules(faces, found)
        with tempfile.TemporaryDirectory() as folder:
            truth, results = write(folder, faces, found)
            numbers = fovea_numbers(arguments.fovea, "face-eval:" + truth, "face-eval:" + results, "--only",
                                    "face-eval", "--resamples", "0")["face-eval"]
        off = max(abs(numbers[key] - value) for key, value in expected.items())
        largest = max(largest, off)
        compared += 1
        if off > 1e-12:
            print("set %d differs: %s, expected %s" % (i, numbers, expected))
    print("AFW and PASCAL faces: %d sets, largest difference %.3g" % (compared, largest))
    return 1 if largest > 1e-12 or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
