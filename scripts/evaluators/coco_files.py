"""Shared by the comparisons: random sets as the tests make them, and sets in COCO's files."""
import json
import os
import subprocess
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


def fovea_numbers(fovea, dataset, results, *arguments):
    """The numbers that Fovea gives for results on a dataset: the object "detection" of its JSON."""
    printed = subprocess.run([fovea, "evaluate", "detection", "--dataset", dataset, "--results", results,
                              *arguments, "--json"], check=True, capture_output=True).stdout
    return json.loads(printed)["detection"]
