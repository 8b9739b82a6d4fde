"""Images for the tests, and the program that was installed with the module."""

import json
import os
import subprocess
import sysconfig
import tempfile
import unittest
from pathlib import Path

import numpy

PHOTOGRAPHS = sorted(Path("/usr/share/doc/libdlib19.1/examples/faces").glob("*.jpg"))
PROGRAM = Path(sysconfig.get_path("scripts")) / "fovea"

needs_photographs = unittest.skipUnless(PHOTOGRAPHS, "Debian's libdlib19.1 keeps its photographs in /usr/share/doc")


def run_program(*arguments):
    return subprocess.run([PROGRAM, *map(os.fspath, arguments)], capture_output=True, text=True)


def lines_of_program(command, *arguments):
    """The lines of results that `fovea COMMAND` writes on the CPU."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / ("results.jsonl" if command == "detect" else "tracks")
        done = run_program(command, *arguments, "--device", "cpu", "--out", out)
        assert done.returncode == 0, done.stderr
        file = out if command == "detect" else out / "results.jsonl"
        return file.read_text(encoding="utf-8").splitlines()


def by_name(lines):
    return {Path(json.loads(line)["image"]).name: line for line in lines}


def write_pgm(file, grey):
    height, width = grey.shape
    Path(file).write_bytes(b"P5 %d %d 255\n" % (width, height) + grey.tobytes())


def write_ppm(file, colours):
    height, width, _ = colours.shape
    Path(file).write_bytes(b"P6 %d %d 255\n" % (width, height) + colours.tobytes())


def tinted(grey):
    """An image in colours with this texture, whose channels differ."""
    grey = grey.astype(numpy.int32)
    channels = [grey, (grey * 3) // 4 + 20, 255 - (255 - grey) // 2]
    return numpy.stack(channels, axis=-1).astype(numpy.uint8)
