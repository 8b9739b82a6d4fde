import contextlib
import importlib.metadata
import io
import json
import logging
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import fovea
from images import PHOTOGRAPHS, needs_photographs, run_program

PACKAGE = Path(fovea.__file__).parent


def python(code, **environment):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                          env={**os.environ, **environment})


class Package(unittest.TestCase):
    def test_versions_agree(self):
        self.assertRegex(fovea.__version__, r"^\d+\.\d+\.\d+$")
        self.assertEqual(importlib.metadata.version("fovea"), fovea.__version__)
        self.assertIn(f"fovea {fovea.__version__}", run_program("--version").stdout)

    def test_needs_are_stated(self):
        system = json.loads((PACKAGE / "system.json").read_text(encoding="utf-8"))
        self.assertTrue(any(name.startswith("libopencv_core") for name in system["libraries"]))
        metadata = importlib.metadata.metadata("fovea")
        self.assertEqual(set(metadata.get_all("Requires-External")), set(system["libraries"].values()))
        self.assertIn(f"This wheel needs {system['system']}", str(metadata))

    def test_program_finds_its_models(self):
        with tempfile.TemporaryDirectory() as folder:
            image = Path(folder) / "flat.pgm"
            image.write_bytes(b"P5 64 64 255\n" + b"\x80" * 4096)
            done = run_program("detect", image, "--out", Path(folder) / "results.jsonl")
            self.assertEqual(done.returncode, 0, done.stderr)
            manifest = (Path(folder) / "run.json").read_text(encoding="utf-8")
            self.assertIn(str(PACKAGE / "models" / "wild.json"), manifest)
        self.assertEqual(run_program("no-such-command").returncode, 2)

    def test_import_is_quick_and_loads_little(self):
        code = ("import sys; import fovea; maps = open('/proc/self/maps').read(); "
                "print([name for name in ('numpy', 'pandas', 'logging') if name in sys.modules], "
                "[name for name in ('libav', 'libopencv_dnn', 'libopencv_video', 'libheif', 'libraw', 'libcuda') "
                "if name in maps])")
        times = []
        for _ in range(5):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            done = python(code)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            self.assertEqual(done.stdout.strip(), "[] []", done.stderr)
            times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        self.assertLess(min(times), 0.2)

    def test_missing_library_is_named(self):
        """A package whose module needs a library that is not there says which, and what to install."""
        system = json.loads((PACKAGE / "system.json").read_text(encoding="utf-8"))
        name = next(name for name in system["libraries"] if name.startswith("libopencv_core"))
        other = name.replace("core", "c0re")
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(PACKAGE, Path(folder) / "fovea", ignore=shutil.ignore_patterns("bin", "models"))
            module = next((Path(folder) / "fovea").glob("_fovea*.so"))
            module.write_bytes(module.read_bytes().replace(name.encode(), other.encode()))
            unknown = python("import fovea", PYTHONPATH=folder)
            self.assertIn(f"fovea was built for {system['system']} and cannot be loaded here", unknown.stderr)
            system["libraries"][other] = system["libraries"].pop(name)
            (Path(folder) / "fovea" / "system.json").write_text(json.dumps(system), encoding="utf-8")
            known = python("import fovea", PYTHONPATH=folder)
            self.assertIn(f"ImportError: fovea needs the library {other}, which is not installed: it is in the package "
                          f"{system['libraries'][other]} of {system['system']}", known.stderr)

    def test_messages_go_to_logging(self):
        """Faces of a detector whose boxes nothing is known of get landmarks with a warning."""
        cascade = "haarcascade_profileface"
        if cascade not in fovea.model_names():
            self.skipTest("Debian's opencv-data is not installed")
        with self.assertLogs("fovea", logging.WARNING) as logs:
            fovea.Detector(cascade, "cpu", landmarks="helen")
        self.assertIn("it is not known where the faces lie in the boxes of " + cascade, logs.output[0])


class Guide(unittest.TestCase):
    @needs_photographs
    def test_examples_run(self):
        """Every example of the guide runs, one after the other, in a folder with what they name."""
        guide = Path(__file__).resolve().parents[2] / "apps" / "python" / "README.md"
        examples = re.findall(r"^```python\n(.*?)^```", guide.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
        self.assertGreaterEqual(len(examples), 4)
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "photos").mkdir()
            for photograph in PHOTOGRAPHS[:3]:
                shutil.copy(photograph, Path(folder) / "photos")
            shutil.copy(PHOTOGRAPHS[0], Path(folder) / "photo.jpg")
            before = os.getcwd()
            os.chdir(folder)
            self.addCleanup(os.chdir, before)
            names = {}
            for example in examples:
                with self.subTest(example=example), contextlib.redirect_stdout(io.StringIO()):
                    exec(compile(example, str(guide), "exec"), names)
            os.chdir(before)
