#!/usr/bin/env python3
"""Writes the photographs of $FOVEA_DATA/wild as COCO files: those to train on and those that are kept out.

    annotations.py OUT

OUT/wider-train.json, OUT/wider-train-2.json, OUT/mafa-train.json, OUT/mask-street.json, OUT/cfp-profile.json and
OUT/heads.json are for training. OUT/wider-kept.json has the photographs of the events below, OUT/mafa-kept.json every
fifth one: settings are chosen on them. The heads of OUT/heads.json are ignored: what lies beside them is background.

All boxes have the convention of WIDER FACE: forehead to chin, tight. Those of cfp-profile and mask-street, which end
at the brow or below the hair, are enlarged by the medians of their READMEs. Attributes of a face: pose (frontal, half,
profile; absent: not known), turned (degrees in the plane), side (left, right: where a profile looks), occlusion, blur.
A face that is not annotated but was found by a network is ignored. So are, in the files of what is kept out, faces
that are narrower or lower than 20 pixels.
"""
import csv
import json
import os
import sys

KEPT_EVENTS = {1, 2, 9, 11, 12, 18, 27, 29, 36, 37, 44, 50, 54, 56, 59}
MIN_FACE = 20
NOT_ANNOTATED = 9
FRONTAL, HALF = 0.12, 0.22  # |nose_offset| below


def tables(folder, name):
    """Rows of a table by (stem, number of the box)."""
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        return {(row["stem"], int(row["box"])): row for row in csv.DictReader(file, delimiter="\t")}


def images_of(folder):
    """(stem, width, height, [(x1, y1, x2, y2, flag, ignore)])"""
    with open(os.path.join(folder, "boxes.txt"), encoding="utf-8") as file:
        lines = [line.split() for line in file if line.strip() and not line.startswith("#")]
    at = 0
    while at < len(lines):
        stem, _, width, height, count = lines[at]
        boxes = [[float(value) for value in line] for line in lines[at + 1:at + 1 + int(count)]]
        yield stem, int(width), int(height), boxes
        at += 1 + int(count)


def pose_of(points):
    offset = abs(float(points["nose_offset"]))
    return "frontal" if offset < FRONTAL else "half" if offset < HALF else "profile"


def attributes_of(name, flag, points, labels):
    attributes = {"set": name}
    if points:
        attributes["pose"] = pose_of(points)
        attributes["turned"] = round(float(points["roll_deg"]), 1)
        if attributes["pose"] != "frontal":
            attributes["side"] = "right" if float(points["nose_offset"]) > 0 else "left"
    if name == "cfp-profile":
        attributes["pose"] = "profile"
        attributes["side"] = "right" if flag else "left"
    if name in ("mafa", "mask-street"):
        attributes["masked"] = int(flag)
    if labels and labels.get("occlusion"):
        attributes["occlusion"] = int(labels["occlusion"])
        attributes["blur"] = int(labels["blur"])
    return attributes


def wider_box(name, x1, y1, x2, y2, flag):
    x, y, w, h = x1, y1, x2 - x1, y2 - y1
    if name == "cfp-profile":
        # Profiles of WIDER begin before the ear, and reach higher: by points of faces that are turned as far.
        x, y, w, h = x + (0.07 if flag else -0.06) * w, y - 0.41 * h, 0.99 * w, 1.445 * h
    if name == "mask-street":
        x, y, w, h = x + 0.01 * w, y - 0.20 * h, 0.94 * w, 1.17 * h
    return [round(v, 2) for v in (x, y, w, h)]


def coco(folder, name, is_wanted, min_face):
    points, labels = tables(folder, "points-yunet.tsv"), tables(folder, "attributes.tsv")
    images, annotations = [], []
    for number, (stem, width, height, boxes) in enumerate(images_of(folder)):
        if not is_wanted(number, stem):
            continue
        images.append({"id": len(images) + 1, "file_name": stem + ".jpg", "width": width, "height": height})
        for box, (x1, y1, x2, y2, flag, ignore) in enumerate(boxes):
            x, y, w, h = wider_box(name, x1, y1, x2, y2, flag)
            small = min(w, h) < min_face
            annotations.append({
                "id": len(annotations) + 1, "image_id": len(images), "category_id": 1, "bbox": [x, y, w, h],
                "area": round(w * h, 2), "iscrowd": 0,
                "ignore": int(ignore != 0 or flag == NOT_ANNOTATED or small),
                "attributes": attributes_of(name, flag, points.get((stem, box)), labels.get((stem, box)))})
    return {"images": images, "annotations": annotations, "categories": [{"id": 1, "name": "face"}]}


def main():
    if len(sys.argv) != 2 or "FOVEA_DATA" not in os.environ:
        sys.exit(__doc__)
    out, wild = sys.argv[1], os.path.join(os.environ["FOVEA_DATA"], "wild")
    os.makedirs(out, exist_ok=True)

    def is_kept_event(_, stem):
        return int(stem.split("_")[0]) in KEPT_EVENTS

    parts = {
        "wider-train": ("wider-train", lambda n, s: not is_kept_event(n, s), 0),
        "wider-kept": ("wider-train", is_kept_event, MIN_FACE),
        "wider-train-2": ("wider-train-2", lambda n, s: not is_kept_event(n, s), 0),
        "mask-street": ("mask-street", lambda n, s: True, 0),
        "heads": ("heads-unlabelled", lambda n, s: True, 0),
        "mafa-train": ("mafa", lambda n, s: n % 5 != 4, 0),
        "mafa-kept": ("mafa", lambda n, s: n % 5 == 4, MIN_FACE),
        "cfp-profile": ("cfp-profile", lambda n, s: True, 0),
    }
    for file, (name, is_wanted, min_face) in parts.items():
        if not os.path.isdir(os.path.join(wild, name)):
            print(f"{file}.json: left out, there is no folder {name}")
            continue
        content = coco(os.path.join(wild, name), name, is_wanted, min_face)
        with open(os.path.join(out, file + ".json"), "w", encoding="utf-8") as stream:
            json.dump(content, stream)
        faces = sum(not annotation["ignore"] for annotation in content["annotations"])
        print(f"{file}.json: {len(content['images'])} photographs, {faces} faces")


if __name__ == "__main__":
    main()
