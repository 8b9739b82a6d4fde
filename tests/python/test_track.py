import tempfile
import unittest
from pathlib import Path

import numpy

import fovea
from images import PHOTOGRAPHS, lines_of_program, needs_photographs, write_pgm


@needs_photographs
class SameAsTheProgram(unittest.TestCase):
    def test_frames_of_a_folder(self):
        """Faces that move by two pixels a frame are followed as `fovea track` follows them, in every digit."""
        photograph = fovea.read_image(PHOTOGRAPHS[0])
        frames = [numpy.ascontiguousarray(photograph[:, 2 * i:2 * i + photograph.shape[1] - 60]) for i in range(16)]
        with tempfile.TemporaryDirectory() as folder:
            for i, frame in enumerate(frames):
                write_pgm(Path(folder) / f"{100 + i}.pgm", frame)
            expected = lines_of_program("track", folder, "--redetect", "5")
        tracker = fovea.Tracker(device="cpu", redetect=5)
        found = [done for frame in frames for done in tracker.add(frame)] + tracker.finish()
        self.assertEqual([frame.frame for frame in found], list(range(16)))
        for frame in found:
            frame.image = f"{100 + frame.frame}.pgm"
        self.assertEqual([frame.json_line() for frame in found], expected)
        self.assertTrue(any(face.followed for frame in found for face in frame))
        self.assertEqual(found[0].landmarks.shape, (len(found[0]), 68, 2))
        table = fovea.to_dataframe(found)
        self.assertEqual(list(table.columns), ["image", "frame", "track", "x", "y", "w", "h", "score"])
        again = list(fovea.track(frames, device="cpu", redetect=5))
        self.assertEqual([frame.boxes.tolist() for frame in again], [frame.boxes.tolist() for frame in found])


class Options(unittest.TestCase):
    def test_frames_that_are_not_there(self):
        frames = [numpy.zeros((48, 64), numpy.uint8), None, numpy.zeros((48, 64), numpy.uint8)]
        found = list(fovea.track(frames, "mct", "cpu", landmarks="none", look_back=0))
        self.assertEqual([(frame.frame, frame.width) for frame in found], [(0, 64), (1, 0), (2, 64)])

    def test_refusals(self):
        for sentence, options in (("redetect", {"redetect": 0}), ("follow", {"follow": "magic"})):
            with self.assertRaises(fovea.UsageError) as caught:
                fovea.Tracker("mct", "cpu", **options)
            self.assertIn(sentence, str(caught.exception))
        tracker = fovea.Tracker("mct", "cpu")
        tracker.finish()
        with self.assertRaises(fovea.UsageError):
            tracker.add(None)
