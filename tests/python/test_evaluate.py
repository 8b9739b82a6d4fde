import json
import tempfile
import unittest
from pathlib import Path

import numpy

import fovea
from images import run_program

COCO = {
    "images": [{"id": 1, "file_name": "a.jpg", "width": 100, "height": 90},
               {"id": 2, "file_name": "b.jpg", "width": 50, "height": 50}],
    "categories": [{"id": 1, "name": "face"}],
    "annotations": [
        {"id": 1, "image_id": 1, "category_id": 1, "bbox": [10, 10, 20, 20], "area": 400, "iscrowd": 0},
        {"id": 2, "image_id": 1, "category_id": 1, "bbox": [60, 60, 20, 20], "area": 400, "iscrowd": 0},
        {"id": 3, "image_id": 2, "category_id": 1, "bbox": [10, 10, 20, 20], "area": 400, "iscrowd": 0}]}
TRUTH = {"a.jpg": [[10, 10, 20, 20], [60, 60, 20, 20]], "b.jpg": [[10, 10, 20, 20]]}
# A hit, a false alarm, a hit: recall 1/3 at precision 1, then 2/3 at precision 2/3.
FOUND = {"a.jpg": ([[10, 10, 20, 20], [0, 60, 20, 20]], [0.9, 0.8]), "b.jpg": ([[10, 10, 20, 20]], [0.7])}


class Memory(unittest.TestCase):
    def test_values_by_hand(self):
        numbers = fovea.evaluate(TRUTH, FOUND)
        self.assertIsInstance(numbers, dict)
        self.assertEqual((numbers.protocol, numbers.images, numbers.faces, numbers.detections), ("iou", 2, 3, 3))
        self.assertEqual((numbers.true_positives, numbers.false_positives), (2, 1))
        precision = numbers["average_precision"]
        self.assertAlmostEqual(precision.value, 1 / 3 + 1 / 3 * 2 / 3, places=12)
        self.assertLessEqual(precision.low, precision.value)
        self.assertLessEqual(precision.value, precision.high)
        self.assertTrue(precision.higher_is_better)
        self.assertIn("recall", precision.definition)
        self.assertAlmostEqual(float(numbers["detection_rate"]), 2 / 3)
        numpy.testing.assert_array_equal(numbers.curve["threshold"], [0.9, 0.8, 0.7])
        numpy.testing.assert_array_equal(numbers.curve["true_positives"], [1, 1, 2])
        numpy.testing.assert_allclose(numbers.curve["precision"], [1, 1 / 2, 2 / 3])
        self.assertIsNone(fovea.evaluate(TRUTH, FOUND, resamples=0)["average_precision"].low)

    def test_table(self):
        table = fovea.evaluate(TRUTH, FOUND).to_dataframe()
        self.assertEqual(list(table.columns), ["name", "value", "low", "high"])
        self.assertAlmostEqual(table.loc["average_precision", "value"], 5 / 9)

    def test_ignored_faces_and_sizes(self):
        truth = {"a.jpg": {"boxes": TRUTH["a.jpg"], "ignore": [True, False], "width": 100, "height": 90},
                 "b.jpg": numpy.array(TRUTH["b.jpg"])}
        numbers = fovea.evaluate(truth, {"a.jpg": FOUND["a.jpg"]}, resamples=0)
        self.assertEqual((numbers.faces, numbers.true_positives, numbers.false_positives), (2, 0, 1))
        self.assertEqual(numbers.images_missing, 1)
        self.assertTrue(numbers.warnings)

    def test_detections_of_the_module(self):
        found = fovea.detect(numpy.zeros((90, 100), numpy.uint8), device="cpu")
        found.image = "a.jpg"
        numbers = fovea.evaluate(TRUTH, [found], resamples=0)
        self.assertEqual((numbers.detections, numbers.images_missing), (0, 1))


class Files(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.dataset = Path(self.folder.name) / "coco.json"
        self.dataset.write_text(json.dumps(COCO), encoding="utf-8")
        self.results = Path(self.folder.name) / "results.jsonl"
        fovea.write_results(self.results, FOUND)

    def test_same_numbers_as_the_program(self):
        report = Path(self.folder.name) / "report"
        done = run_program("evaluate", "detection", "--dataset", f"coco:{self.dataset}", "--results", self.results,
                           "--out", report)
        self.assertEqual(done.returncode, 0, done.stderr)
        expected = json.loads((report / "report.json").read_text(encoding="utf-8"))["detection"]
        numbers = fovea.evaluate(f"coco:{self.dataset}", self.results)
        self.assertEqual(numbers.protocol, "coco")
        compared = 0
        for key, number in numbers.items():
            stated = expected["coco"] if key.startswith("coco.") else expected
            name = key.removeprefix("coco.")
            if name.startswith("rate_at_") or number.value is None:
                continue
            self.assertEqual(number.value, stated[name], key)
            self.assertEqual([number.low, number.high], stated.get(name + "_ci95", [None, None]), key)
            compared += 1
        self.assertGreater(compared, 12)

    def test_files_and_memory_agree(self):
        of_files = fovea.evaluate(f"coco:{self.dataset}", self.results, "iou")
        of_memory = fovea.evaluate(TRUTH, FOUND, "iou")
        self.assertEqual([repr(number) for number in of_files.values()],
                         [repr(number) for number in of_memory.values()])

    def test_part_of_a_dataset(self):
        numbers = fovea.evaluate(f"coco:{self.dataset}", self.results, pattern="b*", resamples=0)
        self.assertEqual((numbers.images, numbers.faces), (1, 1))


class Refusals(unittest.TestCase):
    def refused(self, sentence, *arguments, **options):
        with self.assertRaises(fovea.UsageError) as caught:
            fovea.evaluate(*arguments, **options)
        self.assertIn(sentence, str(caught.exception))

    def test_options(self):
        self.refused("there is no protocol 'ciou'", TRUTH, FOUND, "ciou")
        self.refused("there is no mode 'lax'", TRUTH, FOUND, mode="lax")
        self.refused("iou_threshold", TRUTH, FOUND, iou_threshold=2)

    def test_data(self):
        self.refused("'box'", {"a": {"box": []}}, FOUND)
        self.refused("N x 4", {"a.jpg": [[1, 2, 3]]}, FOUND)
        self.refused("2 boxes, but 1 scores", TRUTH, {"a.jpg": (TRUTH["a.jpg"], [0.5])})
        self.refused("has no name", TRUTH, [fovea.Detections(1, 1, [], [])])
        self.refused("none.json", "coco:none.json", FOUND)
