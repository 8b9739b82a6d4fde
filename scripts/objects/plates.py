#!/usr/bin/env python3
"""Lists of licence plates to train on, and photographs with other plates to test on.

    plates.py OUT

Reads $FOVEA_DATA/objects/plates-eu and $FOVEA_DATA/train/backgrounds. Needs the module cv2 (Debian: python3-opencv).

OUT/train.txt lists the crops to train on. The crops eu-350 to eu-619 are kept out. Many crops of the set show the same
picture; of these none does but eu-873, which is left out too (reduced to 64x16 pixels, all others correlate with them
by at most 0.93).

OUT/test has the 252 photographs of backgrounds/scenes that are at least 128 pixels wide, in grey; the training does not
read them. Each shows one of the crops that were kept out, at a random place. Its width is drawn between 64 pixels and
that of the crop, evenly by its logarithm, and is at most half of the photograph's. OUT/test/info.dat lists the boxes.
"""
import glob
import math
import os
import random
import sys

import cv2

CROPS = 1347
HELD_OUT = range(350, 620)
COPIES_OF_HELD_OUT = (873,)
MIN_WIDTH = 64


def photographs(folder):
    """Grey photographs in which a plate of MIN_WIDTH fits twice."""
    for file in sorted(glob.glob(folder + "/*")):
        photograph = cv2.imread(file, cv2.IMREAD_GRAYSCALE)
        if photograph is not None and photograph.shape[1] >= 2 * MIN_WIDTH:
            yield photograph


def paste(generator, photograph, plate):
    """The plate's box [x, y, width, height] in the photograph, which is changed."""
    most = min(plate.shape[1], photograph.shape[1] // 2)
    width = round(math.exp(generator.uniform(math.log(min(MIN_WIDTH, most)), math.log(most))))
    height = max(1, round(plate.shape[0] * width / plate.shape[1]))
    x = generator.randint(0, photograph.shape[1] - width)
    y = generator.randint(0, photograph.shape[0] - height)
    photograph[y:y + height, x:x + width] = cv2.resize(plate, (width, height), interpolation=cv2.INTER_AREA)
    return x, y, width, height


def main():
    if len(sys.argv) != 2 or "FOVEA_DATA" not in os.environ:
        sys.exit(__doc__)
    out, data = sys.argv[1], os.environ["FOVEA_DATA"]
    crop = os.path.abspath(data) + "/objects/plates-eu/crops/eu-{}.jpg"
    os.makedirs(out + "/test", exist_ok=True)
    with open(out + "/train.txt", "w", encoding="utf-8") as train:
        for number in range(CROPS):
            if number not in HELD_OUT and number not in COPIES_OF_HELD_OUT:
                train.write(crop.format(number) + "\n")
    generator = random.Random(1)
    with open(out + "/test/info.dat", "w", encoding="utf-8") as info:
        for number, photograph in zip(HELD_OUT, photographs(data + "/train/backgrounds/scenes")):
            plate = cv2.imread(crop.format(number), cv2.IMREAD_GRAYSCALE)
            if plate is None:
                sys.exit(f"cannot read {crop.format(number)}")
            box = paste(generator, photograph, plate)
            cv2.imwrite(f"{out}/test/{number}.png", photograph)
            info.write(f"{number}.png 1 {' '.join(map(str, box))}\n")


main()
