import json
import os
import tempfile
import threading
import unittest
from pathlib import Path
from unittest import mock

import numpy

import fovea
from images import PHOTOGRAPHS, by_name, lines_of_program, needs_photographs, tinted, write_pgm, write_ppm


@needs_photographs
class SameAsTheProgram(unittest.TestCase):
    """Detections are those of `fovea detect`, in every digit: the same lines of results."""

    def check(self, arguments, **options):
        expected = by_name(lines_of_program("detect", *PHOTOGRAPHS, *arguments))
        self.assertEqual(len(expected), len(PHOTOGRAPHS))
        detector = fovea.Detector(device="cpu", **options)
        together = detector.detect_batch(PHOTOGRAPHS)
        ahead = list(detector.detect_many(PHOTOGRAPHS, batch=2, readers=3))
        faces = 0
        for file, found, later in zip(PHOTOGRAPHS, together, ahead):
            self.assertEqual(found.image, os.fspath(file))
            line = expected[file.name]
            for detections in (found, later, fovea.detect(file, device="cpu", **options)):
                detections.image = json.loads(line)["image"]
                self.assertEqual(detections.json_line(), line)
            faces += len(found)
        self.assertGreater(faces, 20)

    def test_default(self):
        self.check([])

    def test_cascade_with_options(self):
        self.check(["--model", "mct", "--min-score", "0.2", "--min-size", "40x40", "--border", "8", "--threads", "1"],
                   model="mct", min_score=0.2, min_size=40, border=8, threads=1)

    def test_landmarks(self):
        self.check(["--landmarks", "helen"], landmarks="helen")
        found = fovea.detect(PHOTOGRAPHS[0], device="cpu", landmarks="helen")
        self.assertEqual(found.landmarks.shape, (len(found), 68, 2))
        self.assertEqual(found[0].landmarks.shape, (68, 2))


@needs_photographs
class Arrays(unittest.TestCase):
    """Arrays of all layouts give what the same pixels in a file give."""

    @classmethod
    def setUpClass(cls):
        cls.grey = fovea.read_image(PHOTOGRAPHS[0])
        cls.colours = tinted(cls.grey)
        cls.detector = fovea.Detector(device="cpu")
        with tempfile.TemporaryDirectory() as folder:
            write_pgm(Path(folder) / "grey.pgm", cls.grey)
            write_ppm(Path(folder) / "colours.ppm", cls.colours)
            cls.of_grey = cls.detector.detect(Path(folder) / "grey.pgm")
            cls.of_colours = cls.detector.detect(Path(folder) / "colours.ppm")

    def check(self, array, expected, **options):
        found = self.detector.detect(array, **options)
        self.assertEqual((found.width, found.height), (expected.width, expected.height))
        numpy.testing.assert_array_equal(found.boxes, expected.boxes)
        numpy.testing.assert_array_equal(found.scores, expected.scores)
        self.assertIsNone(found.image)

    def test_there_are_faces(self):
        self.assertGreater(len(self.of_grey), 0)
        self.assertGreater(len(self.of_colours), 0)

    def test_grey(self):
        height, width = self.grey.shape
        self.check(self.grey, self.of_grey)
        self.check(self.grey[:, :, None], self.of_grey)
        wide = numpy.zeros((height, width + 13), numpy.uint8)
        wide[:, 5:5 + width] = self.grey
        self.check(wide[:, 5:5 + width], self.of_grey)
        self.check(numpy.asfortranarray(self.grey), self.of_grey)
        self.check(self.grey[::-1].copy()[::-1], self.of_grey)
        self.check(self.grey[:, ::-1].copy()[:, ::-1], self.of_grey)
        doubled = numpy.repeat(self.grey, 2, axis=1)
        self.check(doubled[:, ::2], self.of_grey)

    def test_colours(self):
        rgb = self.colours
        bgr = rgb[..., ::-1].copy()
        self.check(rgb, self.of_colours)
        self.check(bgr, self.of_colours, colors="bgr")
        self.check(bgr[..., ::-1], self.of_colours)
        self.check(rgb[..., ::-1], self.of_colours, colors="bgr")
        rgba = numpy.concatenate([rgb, numpy.full(rgb.shape[:2] + (1,), 7, numpy.uint8)], axis=2)
        self.check(rgba, self.of_colours)
        self.check(rgba[..., :3], self.of_colours)
        self.check(numpy.moveaxis(numpy.moveaxis(rgb, 2, 0).copy(), 0, 2), self.of_colours)

    def test_nothing_is_changed_or_kept(self):
        before = self.grey.copy()
        self.detector.detect(self.grey)
        numpy.testing.assert_array_equal(self.grey, before)

    def test_arrays_in_order_are_not_copied(self):
        wide = numpy.zeros((40, 70), numpy.uint8)
        colours = numpy.zeros((40, 70, 4), numpy.uint8)
        with mock.patch("numpy.ascontiguousarray", side_effect=AssertionError("copied")):
            for array in (wide, wide[3:, 5:60], wide[::2], wide[:, :, None], colours, colours[..., :3],
                          colours[..., 2::-1], colours[:, :1, :3], wide[:1], wide[:, :1]):
                self.assertEqual(len(self.detector.detect(array)), 0)
            with self.assertRaises(AssertionError):
                self.detector.detect(wide[:, ::2])


class Results(unittest.TestCase):
    @needs_photographs
    def test_faces_by_number_and_as_arrays(self):
        found = fovea.detect(os.fspath(PHOTOGRAPHS[0]), device="cpu")
        self.assertEqual(found.image, os.fspath(PHOTOGRAPHS[0]))
        self.assertEqual(found.boxes.shape, (len(found), 4))
        self.assertEqual(found.boxes.dtype, numpy.float64)
        self.assertTrue((numpy.diff(found.scores) <= 0).all())
        faces = list(found)
        self.assertEqual(len(faces), len(found))
        self.assertEqual(faces[0].box, tuple(found.boxes[0]))
        self.assertEqual(found[-1].score, found.scores[-1])
        self.assertIsNone(faces[0].landmarks)
        with self.assertRaises(IndexError):
            found[len(found)]
        self.assertIn("faces of", repr(found))
        frame = found.to_dataframe()
        self.assertEqual(list(frame.columns), ["image", "x", "y", "w", "h", "score"])
        self.assertEqual(len(frame), len(found))
        self.assertEqual(frame["w"][0], found.boxes[0, 2])

    def test_no_face(self):
        found = fovea.detect(numpy.zeros((40, 50), numpy.uint8), device="cpu")
        self.assertEqual((len(found), found.width, found.height), (0, 50, 40))
        self.assertEqual(found.boxes.shape, (0, 4))
        self.assertEqual(list(found), [])
        self.assertEqual(len(found.to_dataframe()), 0)
        self.assertEqual(fovea.Detector(device="cpu").detect_batch([]), [])

    def test_detector_describes_itself(self):
        detector = fovea.Detector("mct", "cpu")
        self.assertEqual(detector.device, "cpu")
        self.assertEqual(Path(detector.model_file), Path(fovea.__file__).parent / "models" / "mct.json")
        self.assertIn("MCT", repr(detector))
        self.assertIn("wild", fovea.model_names())


class Refusals(unittest.TestCase):
    def refused(self, sentence, work):
        with self.assertRaises(fovea.UsageError) as caught:
            work()
        self.assertIn(sentence, str(caught.exception))
        self.assertIsInstance(caught.exception, ValueError)
        self.assertIsInstance(caught.exception, fovea.Error)

    def test_options(self):
        self.refused("there is no model 'wid' (did you mean 'wild'?)", lambda: fovea.Detector("wid", "cpu"))
        self.refused("scale_factor", lambda: fovea.Detector("mct", "cpu", scale_factor=0.5))
        self.refused("threads", lambda: fovea.Detector("mct", "cpu", threads=-2))
        self.refused("gpu", lambda: fovea.Detector("mct", "gpu"))
        self.refused("colors", lambda: fovea.detect(numpy.zeros((9, 9), numpy.uint8), device="cpu", colors="hsv"))
        self.refused("at least 1", lambda: list(fovea.Detector("mct", "cpu").detect_many([], batch=0)))
        with self.assertRaises(TypeError):
            fovea.Detector("mct", "cpu", scalefactor=2)

    def test_images(self):
        detector = fovea.Detector("mct", "cpu")
        self.refused("an image is an array of uint8", lambda: detector.detect(numpy.zeros((9, 9))))
        self.refused("(2, 9, 9, 3)", lambda: detector.detect(numpy.zeros((2, 9, 9, 3), numpy.uint8)))
        self.refused("(9, 9, 2)", lambda: detector.detect(numpy.zeros((9, 9, 2), numpy.uint8)))
        self.refused("no pixels", lambda: detector.detect(numpy.zeros((0, 9), numpy.uint8)))

    def test_files(self):
        with self.assertRaises(fovea.Error) as caught:
            fovea.detect("none.jpg", device="cpu")
        self.assertTrue(str(caught.exception).startswith("'none.jpg' cannot be read: "), caught.exception)
        self.assertIsInstance(caught.exception, RuntimeError)
        with self.assertRaises(fovea.Error):
            list(fovea.Detector("mct", "cpu").detect_many(["none.jpg"]))


class Threads(unittest.TestCase):
    def test_other_threads_run_meanwhile(self):
        """The work lets go of Python's lock: a thread that counts goes on counting."""
        image = numpy.random.default_rng(1).integers(0, 255, (2000, 3000), numpy.uint8)
        detector = fovea.Detector("mct", "cpu", threads=1)
        counted = 0
        done = threading.Event()

        def count():
            nonlocal counted
            while not done.wait(0.001):
                counted += 1

        thread = threading.Thread(target=count)
        thread.start()
        before = counted
        for _ in range(3):
            detector.detect(image)
        during = counted - before
        done.set()
        thread.join()
        self.assertGreater(during, 5)

    @needs_photographs
    def test_threads_share_a_detector(self):
        detector = fovea.Detector(device="cpu", threads=1)
        expected = [detector.detect(file).json_line() for file in PHOTOGRAPHS[:4]]
        lines = [None] * 4

        def work(place):
            lines[place] = detector.detect(PHOTOGRAPHS[place]).json_line()

        threads = [threading.Thread(target=work, args=(place,)) for place in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(lines, expected)
