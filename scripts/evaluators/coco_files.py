"""Shared by the comparisons: random sets as the tests make them, and sets in COCO's files."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tests/data/coco"))
import make_golden  # noqa: E402, F401
import make_oks  # noqa: E402, F401


def write_coco(folder, truth, found):
    """Writes ground truth and results; returns both paths."""
    paths = []
    for name, content in (("truth.json", truth), ("found.json", found)):
        paths.append(os.path.join(folder, name))
        with open(paths[-1], "w", encoding="utf-8") as file:
            json.dump(content, file)
    return paths
