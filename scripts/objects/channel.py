#!/usr/bin/env python3
"""Writes one colour channel of every photograph of a folder as a grey picture.

    channel.py FOLDER OUT {red,green,blue}

For objects that differ from others by their colour: grey mixes the channels. Names stay, with the ending .png. Needs
the module cv2 (Debian: python3-opencv).
"""
import pathlib
import sys

import cv2

CHANNELS = {"blue": 0, "green": 1, "red": 2}  # as OpenCV stores them


def main():
    if len(sys.argv) != 4 or sys.argv[3] not in CHANNELS:
        sys.exit(__doc__)
    out = pathlib.Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    for file in sorted(pathlib.Path(sys.argv[1]).iterdir()):
        image = cv2.imread(str(file))
        if image is None:
            print(f"{file} is no image", file=sys.stderr)
            continue
        cv2.imwrite(str(out / (file.stem + ".png")), image[:, :, CHANNELS[sys.argv[3]]])


main()
