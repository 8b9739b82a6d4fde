#!/usr/bin/env bash
# The main job on real photographs: builds Fovea, then detects the faces in the photographs of Debian's package
# libdlib19.1 with the cascades of opencv-data, evaluates them against the package's annotations and writes a report.
# Nothing is fetched from anywhere but Debian's archive. Arguments go to `fovea run`, e.g. --out DIR.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
build fovea -DCMAKE_BUILD_TYPE=Release

photographs=/usr/share/doc/libdlib19.1/examples
if [ ! -f "$photographs/faces/training.xml" ]; then
  # Minimal systems leave /usr/share/doc out when they install a package: take the photographs out of it.
  cache=$root/.cache/libdlib19.1
  if [ ! -f "$cache/usr/share/doc/libdlib19.1/examples/faces/training.xml" ]; then
    say "taking the photographs out of Debian's package libdlib19.1"
    mkdir -p "$cache"
    (cd "$cache" && apt-get download libdlib19.1 >&2 && dpkg-deb -x libdlib19.1_*.deb . && rm libdlib19.1_*.deb)
  fi
  photographs=$cache/usr/share/doc/libdlib19.1/examples
fi

cd "$root"
# configs/demo.json names the output folder; the program says where the report is.
FOVEA_DEMO_PHOTOS=$photographs "$build_dir/fovea" run configs/demo.json "$@"
