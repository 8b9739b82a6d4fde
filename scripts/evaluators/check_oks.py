#!/usr/bin/env python3
"""Compares Fovea's numbers of COCO's keypoints (OKS) with pycocotools' on random sets.

    check_oks.py FOVEA [--sets N] [--seed S]

Needs numpy and pycocotools. Every number has to be equal in every bit. Ends with 1 if one is not.
"""
import argparse
import sys
import tempfile

import numpy as np

from coco_files import fovea_numbers, make_oks, write_coco

KEYS = ["ap", "ap_50", "ap_75", "ap_medium", "ap_large", "ar", "ar_50", "ar_75", "ar_medium", "ar_large"]


def of_fovea(fovea, folder, truth, found, sigmas):
    paths = write_coco(folder, truth, found)
    given = ["--oks-sigmas", ",".join(str(s) for s in sigmas)] if sigmas else []
    oks = fovea_numbers(fovea, "coco:" + paths[0], "coco:" + paths[1], "--protocol", "oks", "--only", "oks",
                        "--resamples", "0", *given)["oks"]
    return [oks.get(key) for key in KEYS]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("fovea")
    parser.add_argument("--sets", type=int, default=100)
    parser.add_argument("--seed", type=int, default=23)
    arguments = parser.parse_args()
    compared = wrong = 0
    for i in range(arguments.sets):
        truth, found, sigmas = make_oks.make_case(np.random.default_rng([arguments.seed, i]), 20)
        if not found or not any(a["num_keypoints"] for a in truth["annotations"]):
            continue
        expected = make_oks.numbers(truth, found, sigmas)
        with tempfile.TemporaryDirectory() as folder:
            numbers = of_fovea(arguments.fovea, folder, truth, found, sigmas)
        compared += 1
        if numbers != expected:
            wrong += 1
            print("set %d differs: %s, expected %s" % (i, numbers, expected))
    print("COCO's keypoints: %d sets, %d with a difference" % (compared, wrong))
    return 1 if wrong or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
