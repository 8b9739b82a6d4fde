#!/usr/bin/env python3
"""Makes a wheel of a build, without a network: the module, the program and the models.

    make_wheel.py --build build/ --source . --out build-package/

The name of the wheel is printed. Shared libraries stay the system's: those that are needed, and the packages that have
them, stand in the wheel's fovea/system.json and METADATA.
"""

import argparse
import base64
import csv
import hashlib
import io
import json
import os
import re
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from pathlib import Path

LAUNCHER = """#!python
import importlib.util
import os
import sys

# Found, and not imported: the program needs nothing of the module.
folder = os.path.dirname(importlib.util.find_spec("fovea").origin)
os.execv(os.path.join(folder, "bin", "fovea"), sys.argv)
"""

TAG = f"cp3{sys.version_info.minor}-cp3{sys.version_info.minor}-linux_x86_64"

# A date that all archives can hold; the same files make the same wheel.
DATE = (1980, 1, 1, 0, 0, 0)


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def stripped(file):
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "stripped")
        subprocess.run(["strip", "--strip-unneeded", "-o", copy, file], check=True)
        return Path(copy).read_bytes()


def needed_libraries(file):
    """The names of the libraries that are linked, and where they lie."""
    needed = re.findall(r"NEEDED +(\S+)", output_of("objdump", "-p", file))
    places = dict(re.findall(r"^\s*(\S+) => (\S+)", output_of("ldd", file), re.MULTILINE))
    return {name: places.get(name) for name in needed}


def package_of(file):
    if file is None:
        return None
    real = os.path.realpath(file)
    # Packages name files below /lib or /usr/lib, which are one folder.
    for name in (real, re.sub("^/usr", "", real)):
        found = subprocess.run(["dpkg", "-S", name], capture_output=True, text=True)
        if found.returncode == 0:
            return found.stdout.split(":")[0]
    return None


def system_name():
    try:
        text = Path("/etc/os-release").read_text(encoding="utf-8")
    except OSError:
        return "this kind of Linux"
    return re.search(r'^PRETTY_NAME="?([^"\n]*)', text, re.MULTILINE).group(1)


def metadata(version, system, readme):
    packages = sorted(set(system["libraries"].values()))
    lines = [
        "Metadata-Version: 2.1",
        "Name: fovea",
        f"Version: {version}",
        "Summary: Finds faces, evaluates detectors and follows faces through frames",
        "Platform: linux_x86_64",
        f"Requires-Python: ==3.{sys.version_info.minor}.*",
        "Requires-Dist: numpy",
        "Provides-Extra: pandas",
        'Requires-Dist: pandas; extra == "pandas"',
        *(f"Requires-External: {package}" for package in packages),
        "Description-Content-Type: text/markdown",
        "",
        f"This wheel needs {system['system']} with its packages {', '.join(packages)}.",
        "",
    ]
    return "\n".join(lines) + "\n" + readme


def wheel_files(build, source):
    """The wheel's files: path, bytes, mode."""
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    module = build / "python" / "fovea" / ("_fovea" + suffix)
    program = build / "fovea"
    for file in (module, program):
        if not file.is_file():
            sys.exit(f"fovea: there is no {file}: build the targets fovea and fovea_python")
    libraries = needed_libraries(module) | needed_libraries(program)
    system = {"system": system_name(), "libraries": {}}
    for name, place in sorted(libraries.items()):
        package = package_of(place)
        if package is not None:
            system["libraries"][name] = package
    version = re.match(r"fovea (\S+)", output_of(program, "--version")).group(1)
    package = source / "apps" / "python"
    yield "fovea/" + module.name, stripped(module), 0o755
    yield "fovea/bin/fovea", stripped(program), 0o755
    for file in sorted((package / "fovea").glob("*.py")):
        yield "fovea/" + file.name, file.read_bytes(), 0o644
    yield "fovea/system.json", (json.dumps(system, indent=1) + "\n").encode(), 0o644
    models = source / "configs" / "models"
    for file in sorted(models.rglob("*")):
        if file.is_file():
            yield f"fovea/models/{file.relative_to(models)}", file.read_bytes(), 0o644
    yield f"fovea-{version}.data/scripts/fovea", LAUNCHER.encode(), 0o755
    info = f"fovea-{version}.dist-info"
    readme = (package / "README.md").read_text(encoding="utf-8")
    yield info + "/METADATA", metadata(version, system, readme).encode(), 0o644
    wheel = f"Wheel-Version: 1.0\nGenerator: fovea make_wheel.py\nRoot-Is-Purelib: false\nTag: {TAG}\n"
    yield info + "/WHEEL", wheel.encode(), 0o644


def write_wheel(files, out):
    info = next(name for name, _, _ in files if name.endswith(".dist-info/WHEEL")).rsplit("/", 1)[0]
    target = out / f"{info.removesuffix('.dist-info')}-{TAG}.whl"
    record = io.StringIO()
    rows = csv.writer(record, lineterminator="\n")
    for name, data, _ in files:
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        rows.writerow([name, "sha256=" + digest, len(data)])
    rows.writerow([info + "/RECORD", "", ""])
    out.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, data, mode in [*files, (info + "/RECORD", record.getvalue().encode(), 0o644)]:
            entry = zipfile.ZipInfo(name, DATE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100000 | mode) << 16
            archive.writestr(entry, data)
    return target


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, required=True, help="the folder of the build")
    parser.add_argument("--source", type=Path, default=Path(__file__).resolve().parents[2], help="the source tree")
    parser.add_argument("--out", type=Path, required=True, help="the folder that gets the wheel")
    arguments = parser.parse_args()
    print(write_wheel(list(wheel_files(arguments.build, arguments.source)), arguments.out))


if __name__ == "__main__":
    main()
